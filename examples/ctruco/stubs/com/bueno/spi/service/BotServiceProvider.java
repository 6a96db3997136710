package com.bueno.spi.service;

import com.bueno.spi.model.CardToPlay;
import com.bueno.spi.model.GameIntel;

/** Stands in for the interface of the same name of CTruco's bot-spi: the decisions of a bot. */
public interface BotServiceProvider {
    /** With 11 points against fewer: whether to play the hand for 3. */
    boolean getMaoDeOnzeResponse(GameIntel intel);

    /** Before a card is played: whether to raise. */
    boolean decideIfRaises(GameIntel intel);

    CardToPlay chooseCard(GameIntel intel);

    /** The answer to a raise: -1 to run, 0 to accept, 1 to raise. */
    int getRaiseResponse(GameIntel intel);

    default String getName() {
        return getClass().getSimpleName();
    }
}

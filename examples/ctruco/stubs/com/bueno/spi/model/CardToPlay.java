package com.bueno.spi.model;

import java.util.Objects;

/** Stands in for the class of the same name of CTruco's bot-spi. */
public final class CardToPlay {
    private final TrucoCard card;
    private final boolean discard;

    private CardToPlay(TrucoCard card, boolean discard) {
        this.card = Objects.requireNonNull(card);
        this.discard = discard;
    }

    /** To be played face up. */
    public static CardToPlay of(TrucoCard card) {
        return new CardToPlay(card, false);
    }

    /** To be played face down. */
    public static CardToPlay discard(TrucoCard card) {
        return new CardToPlay(card, true);
    }

    /** What the other player will see. */
    public TrucoCard value() {
        return discard ? TrucoCard.closed() : card;
    }

    public TrucoCard content() {
        return card;
    }

    public boolean isDiscard() {
        return discard;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CardToPlay
                && ((CardToPlay) other).discard == discard
                && ((CardToPlay) other).card.equals(card);
    }

    @Override
    public int hashCode() {
        return Objects.hash(card, discard);
    }
}

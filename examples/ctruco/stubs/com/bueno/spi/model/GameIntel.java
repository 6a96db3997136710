package com.bueno.spi.model;

import java.util.List;
import java.util.Optional;

/** Stands in for the class of the same name of CTruco's bot-spi: what a bot knows when it decides. */
public class GameIntel {
    /** The result of a trick for the bot. */
    public enum RoundResult {
        WON,
        DREW,
        LOST
    }

    private final StepBuilder given;

    private GameIntel(StepBuilder given) {
        this.given = given;
    }

    /** The bot's hand. */
    public List<TrucoCard> getCards() {
        return given.cards;
    }

    /** The vira, then the cards of this hand in the order of play. */
    public List<TrucoCard> getOpenCards() {
        return given.openCards;
    }

    public TrucoCard getVira() {
        return given.vira;
    }

    /** The card to beat; empty if the bot leads. */
    public Optional<TrucoCard> getOpponentCard() {
        return Optional.ofNullable(given.opponentCard);
    }

    public List<RoundResult> getRoundResults() {
        return given.roundResults;
    }

    public int getScore() {
        return given.score;
    }

    public int getOpponentScore() {
        return given.opponentScore;
    }

    /** What the hand is worth now. */
    public int getHandPoints() {
        return given.handPoints;
    }

    /** The first step of a builder. */
    public interface GeneralIntel {
        BotIntel gameInfo(List<RoundResult> roundResults, List<TrucoCard> openCards, TrucoCard vira, int handPoints);
    }

    /** The second step. */
    public interface BotIntel {
        OpponentIntel botInfo(List<TrucoCard> cards, int score);
    }

    /** The third step. */
    public interface OpponentIntel {
        StepBuilder opponentScore(int opponentScore);
    }

    /** Makes intel step by step; the opponent's card may be left out. */
    public static final class StepBuilder implements GeneralIntel, BotIntel, OpponentIntel {
        private List<TrucoCard> cards;
        private List<TrucoCard> openCards;
        private TrucoCard vira;
        private TrucoCard opponentCard;
        private List<RoundResult> roundResults;
        private int score;
        private int opponentScore;
        private int handPoints;

        private StepBuilder() {}

        public static GeneralIntel with() {
            return new StepBuilder();
        }

        @Override
        public BotIntel gameInfo(
                List<RoundResult> roundResults, List<TrucoCard> openCards, TrucoCard vira, int handPoints) {
            this.roundResults = List.copyOf(roundResults);
            this.openCards = List.copyOf(openCards);
            this.vira = vira;
            this.handPoints = handPoints;
            return this;
        }

        @Override
        public OpponentIntel botInfo(List<TrucoCard> cards, int score) {
            this.cards = cards;
            this.score = score;
            return this;
        }

        @Override
        public StepBuilder opponentScore(int opponentScore) {
            this.opponentScore = opponentScore;
            return this;
        }

        public StepBuilder opponentCard(TrucoCard opponentCard) {
            this.opponentCard = opponentCard;
            return this;
        }

        public GameIntel build() {
            return new GameIntel(this);
        }
    }
}

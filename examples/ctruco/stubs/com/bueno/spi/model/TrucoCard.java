package com.bueno.spi.model;

import java.util.Objects;

/** Stands in for the class of the same name of CTruco's bot-spi. */
public final class TrucoCard {
    private final CardRank rank;
    private final CardSuit suit;

    private TrucoCard(CardRank rank, CardSuit suit) {
        this.rank = Objects.requireNonNull(rank);
        this.suit = Objects.requireNonNull(suit);
    }

    public static TrucoCard of(CardRank rank, CardSuit suit) {
        return new TrucoCard(rank, suit);
    }

    /** A card that lies face down. */
    public static TrucoCard closed() {
        return new TrucoCard(CardRank.HIDDEN, CardSuit.HIDDEN);
    }

    public CardRank getRank() {
        return rank;
    }

    public CardSuit getSuit() {
        return suit;
    }

    /** Above 0 if this card beats the other one. */
    public int compareValueTo(TrucoCard other, TrucoCard vira) {
        return relativeValue(vira) - other.relativeValue(vira);
    }

    /** The strength in a hand: 10 to 13 for the manilhas, below for others, 0 for a closed card. */
    public int relativeValue(TrucoCard vira) {
        if (isManilha(vira)) return 9 + suit.ordinal();
        boolean aboveManilhas = vira.rank == CardRank.THREE || rank.value() > vira.rank.value();
        return Math.max(0, rank.value() - (aboveManilhas ? 1 : 0));
    }

    public boolean isManilha(TrucoCard vira) {
        return rank != CardRank.HIDDEN && rank == vira.rank.next();
    }

    public boolean isZap(TrucoCard vira) {
        return isManilha(vira) && suit == CardSuit.CLUBS;
    }

    public boolean isCopas(TrucoCard vira) {
        return isManilha(vira) && suit == CardSuit.HEARTS;
    }

    public boolean isEspadilha(TrucoCard vira) {
        return isManilha(vira) && suit == CardSuit.SPADES;
    }

    public boolean isOuros(TrucoCard vira) {
        return isManilha(vira) && suit == CardSuit.DIAMONDS;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TrucoCard && ((TrucoCard) other).rank == rank && ((TrucoCard) other).suit == suit;
    }

    @Override
    public int hashCode() {
        return Objects.hash(rank, suit);
    }

    @Override
    public String toString() {
        return "[" + rank + suit + "]";
    }
}

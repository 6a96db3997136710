package com.bueno.spi.model;

/** Stands in for the class of the same name of CTruco's bot-spi. */
public enum CardRank {
    HIDDEN,
    FOUR,
    FIVE,
    SIX,
    SEVEN,
    QUEEN,
    JACK,
    KING,
    ACE,
    TWO,
    THREE;

    private static final String SYMBOLS = "X4567QJKA23";

    /** The rank of a symbol, such as "Q". Throws IllegalArgumentException. */
    public static CardRank ofSymbol(String symbol) {
        int place = symbol.length() == 1 ? SYMBOLS.indexOf(symbol) : -1;
        if (place < 0) throw new IllegalArgumentException("no rank: " + symbol);
        return values()[place];
    }

    /** From 1 for a four to 10 for a three; 0 for a closed card. */
    public int value() {
        return ordinal();
    }

    /** The rank above; a four after a three. */
    public CardRank next() {
        if (this == HIDDEN) return this;
        return this == THREE ? FOUR : values()[ordinal() + 1];
    }

    @Override
    public String toString() {
        return SYMBOLS.substring(ordinal(), ordinal() + 1);
    }
}

package com.bueno.spi.model;

/** Stands in for the class of the same name of CTruco's bot-spi. */
public enum CardSuit {
    HIDDEN,
    DIAMONDS,
    SPADES,
    HEARTS,
    CLUBS;

    private static final String SYMBOLS = "XDSHC";

    /** The suit of a symbol, such as "D". Throws IllegalArgumentException. */
    public static CardSuit ofSymbol(String symbol) {
        int place = symbol.length() == 1 ? SYMBOLS.indexOf(symbol) : -1;
        if (place < 0) throw new IllegalArgumentException("no suit: " + symbol);
        return values()[place];
    }

    @Override
    public String toString() {
        return SYMBOLS.substring(ordinal(), ordinal() + 1);
    }
}

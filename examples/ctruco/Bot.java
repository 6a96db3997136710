import com.bueno.spi.model.CardRank;
import com.bueno.spi.model.CardSuit;
import com.bueno.spi.model.CardToPlay;
import com.bueno.spi.model.GameIntel;
import com.bueno.spi.model.GameIntel.RoundResult;
import com.bueno.spi.model.TrucoCard;
import com.bueno.spi.service.BotServiceProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Plays Truco paulista with two seats as a bot of the CTruco contest would: takes the place of the Java starter's Bot.
 * The system property ctruco.bot names the bot's class. Each seat of each game has a bot of its own.
 */
public final class Bot {
    private static final int MOST_BOTS = 1000;
    private static final int WIN = 12;

    private final Supplier<BotServiceProvider> maker;
    private final Map<String, BotServiceProvider> bots = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BotServiceProvider> eldest) {
            return size() > MOST_BOTS;
        }
    };

    public Bot() {
        this(named(System.getProperty("ctruco.bot", "")));
    }

    Bot(Supplier<BotServiceProvider> maker) {
        this.maker = maker;
    }

    private static Supplier<BotServiceProvider> named(String name) {
        try {
            var constructor = Class.forName(name).asSubclass(BotServiceProvider.class).getDeclaredConstructor();
            constructor.newInstance();
            return () -> {
                try {
                    return constructor.newInstance();
                } catch (ReflectiveOperationException error) {
                    throw new IllegalStateException(error);
                }
            };
        } catch (ReflectiveOperationException | ClassCastException error) {
            throw new IllegalArgumentException(
                    "-Dctruco.bot=" + name + ": expected a class that implements BotServiceProvider", error);
        }
    }

    /** Returns one of the turn's legal_actions. If the bot fails, prints why and plays on without it. */
    public String choose(Map<String, Object> turn) {
        List<String> actions = Json.texts(turn.get("legal_actions"));
        // In a hand that is played blind, nobody sees a card or decides anything.
        if (actions.size() == 1) return actions.get(0);
        String place = turn.get("game") + "." + turn.get("seat");
        try {
            return decide(bots.computeIfAbsent(place, unused -> maker.get()), turn, actions);
        } catch (RuntimeException error) {
            System.err.println(turn.get("turn") + ": the bot failed");
            error.printStackTrace();
            return first(actions, "play:").or(() -> first(actions, "run:")).orElse(actions.get(0));
        }
    }

    private static String decide(BotServiceProvider bot, Map<String, Object> turn, List<String> actions) {
        Map<String, Object> seen = Json.object(turn.get("observation"));
        GameIntel intel = intel(seen, Json.number(turn.get("seat")));
        Optional<String> raise = first(actions, "truco").or(() -> first(actions, "raise:"));
        if ("eleven".equals(seen.get("phase"))) {
            return first(actions, bot.getMaoDeOnzeResponse(intel) ? "accept:" : "run:").orElseThrow();
        }
        if ("answer".equals(seen.get("phase"))) {
            int response = bot.getRaiseResponse(intel);
            if (response < -1 || response > 1) throw new IllegalStateException("a raise response of " + response);
            int proposed = Json.number(Json.object(seen.get("truco")).get("value"));
            if (response == 1 && raise.isPresent() && mattersMore(seen, proposed)) return raise.get();
            return first(actions, response < 0 ? "run:" : "accept:").orElseThrow();
        }
        if (raise.isPresent() && mattersMore(seen, intel.getHandPoints()) && bot.decideIfRaises(intel)) {
            return raise.get();
        }
        CardToPlay chosen = bot.chooseCard(intel);
        String card = text(chosen.content());
        String hidden = "hide:" + card;
        String action = chosen.isDiscard() && actions.contains(hidden) ? hidden : "play:" + card;
        if (!actions.contains(action)) throw new IllegalStateException(action + " is none of " + actions);
        return action;
    }

    /** As in CTruco, nobody raises once the points in dispute are enough for the player with fewer points. */
    private static boolean mattersMore(Map<String, Object> seen, int points) {
        return Collections.min(Json.numbers(seen.get("score"))) + points < WIN;
    }

    /** What CTruco tells a bot, from an observation. */
    private static GameIntel intel(Map<String, Object> seen, int seat) {
        TrucoCard vira = card((String) seen.get("vira"));
        List<TrucoCard> open = new ArrayList<>(List.of(vira));
        List<RoundResult> results = new ArrayList<>();
        TrucoCard against = null;
        for (Map<String, Object> trick : Json.objects(seen.get("tricks"))) {
            against = null;
            for (Map<String, Object> play : Json.objects(trick.get("plays"))) {
                boolean hidden = (Boolean) play.get("face_down");
                TrucoCard card = hidden ? TrucoCard.closed() : card((String) play.get("card"));
                open.add(card);
                if (Json.number(play.get("seat")) != seat) against = card;
            }
            if (!(Boolean) trick.get("over")) continue;
            against = null;
            Object winner = trick.get("winner");
            results.add(winner == null ? RoundResult.DREW
                    : Json.number(winner) == seat ? RoundResult.WON : RoundResult.LOST);
        }
        List<TrucoCard> hand = new ArrayList<>();
        for (String card : Json.texts(seen.get("hand"))) hand.add(card(card));
        List<Integer> score = Json.numbers(seen.get("score"));
        // CTruco counts a hand of eleven as 1 until it is accepted.
        int points = "eleven".equals(seen.get("phase")) ? 1 : Json.number(seen.get("stake"));
        var builder = GameIntel.StepBuilder.with()
                .gameInfo(results, open, vira, points)
                .botInfo(hand, score.get(seat))
                .opponentScore(score.get(1 - seat));
        return (against == null ? builder : builder.opponentCard(against)).build();
    }

    private static TrucoCard card(String text) {
        return TrucoCard.of(CardRank.ofSymbol(text.substring(0, 1)), CardSuit.ofSymbol(text.substring(1)));
    }

    private static String text(TrucoCard card) {
        return card.getRank().toString() + card.getSuit();
    }

    private static Optional<String> first(List<String> actions, String start) {
        return actions.stream().filter(action -> action.startsWith(start)).findFirst();
    }
}

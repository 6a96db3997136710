import com.bueno.spi.model.CardToPlay;
import com.bueno.spi.model.GameIntel;
import com.bueno.spi.service.BotServiceProvider;
import java.util.List;
import java.util.Map;

/** Tests of Bot: what a CTruco bot is shown, and how its decisions become actions. */
public final class BotTest {
    /** Decides as it is set to, and keeps what it was shown. */
    private static final class Puppet implements BotServiceProvider {
        private GameIntel shown;
        private boolean yes = true;
        private boolean discards;
        private int response;
        private int raisesAsked;

        @Override
        public boolean getMaoDeOnzeResponse(GameIntel intel) {
            shown = intel;
            return yes;
        }

        @Override
        public boolean decideIfRaises(GameIntel intel) {
            shown = intel;
            raisesAsked++;
            return yes;
        }

        @Override
        public CardToPlay chooseCard(GameIntel intel) {
            shown = intel;
            return discards ? CardToPlay.discard(intel.getCards().get(0)) : CardToPlay.of(intel.getCards().get(0));
        }

        @Override
        public int getRaiseResponse(GameIntel intel) {
            shown = intel;
            return response;
        }
    }

    private static final String TRICKS = "[{'leader': 0, 'over': true, 'winner': 1, 'plays': ["
            + "{'seat': 0, 'card': 'KC', 'face_down': false}, {'seat': 1, 'card': 'AH', 'face_down': false}]},"
            + "{'leader': 1, 'over': true, 'winner': null, 'plays': ["
            + "{'seat': 1, 'card': '4C', 'face_down': true}, {'seat': 0, 'card': null, 'face_down': true}]},"
            + "{'leader': 1, 'over': false, 'winner': null, 'plays': []}]";
    private static final String SECOND = "[{'leader': 0, 'over': false, 'winner': null, 'plays': ["
            + "{'seat': 0, 'card': null, 'face_down': true}]}]";

    private BotTest() {}

    public static void main(String[] arguments) {
        showsWhatCTrucoShows();
        playsAndDiscards();
        raisesOnlyWhileItMatters();
        answersRaises();
        decidesTheHandOfEleven();
        playsOnWhenTheBotFails();
        System.out.println("6 tests passed");
    }

    private static void showsWhatCTrucoShows() {
        Puppet puppet = new Puppet();
        puppet.yes = false;
        String action = new Bot(() -> puppet).choose(turn("play", "[3, 5]", 6, TRICKS, "['7D', '2S']", "play:7D", "play:2S"));
        same(action, "play:7D");
        GameIntel shown = puppet.shown;
        same(shown.getCards(), "[[7D], [2S]]");
        same(shown.getVira(), "[QS]");
        same(shown.getOpenCards(), "[[QS], [KC], [AH], [XX], [XX]]");
        same(shown.getRoundResults(), "[WON, DREW]");
        same(shown.getOpponentCard(), "Optional.empty");
        same(shown.getScore() + " " + shown.getOpponentScore() + " " + shown.getHandPoints(), "5 3 6");
        new Bot(() -> puppet).choose(turn("play", "[0, 0]", 1, SECOND, "['7D', '2S']", "play:7D", "play:2S"));
        same(puppet.shown.getOpponentCard(), "Optional[[XX]]");
        same(puppet.shown.getRoundResults(), "[]");
    }

    private static void playsAndDiscards() {
        Puppet puppet = new Puppet();
        puppet.discards = true;
        Bot bot = new Bot(() -> puppet);
        same(bot.choose(turn("play", "[0, 0]", 1, SECOND, "['7D', '2S']", "play:7D", "hide:7D")), "hide:7D");
        same(bot.choose(turn("play", "[0, 0]", 1, SECOND, "['7D', '2S']", "play:7D", "play:2S")), "play:7D");
        same(bot.choose(turn("play", "[11, 11]", 1, SECOND, "[]", "play:9C")), "play:9C");
    }

    private static void raisesOnlyWhileItMatters() {
        Puppet puppet = new Puppet();
        Bot bot = new Bot(() -> puppet);
        same(bot.choose(turn("play", "[8, 9]", 1, SECOND, "['7D']", "play:7D", "truco")), "truco");
        same(bot.choose(turn("play", "[8, 9]", 3, SECOND, "['7D']", "play:7D", "raise:6")), "raise:6");
        same(bot.choose(turn("play", "[9, 9]", 3, SECOND, "['7D']", "play:7D", "raise:6")), "play:7D");
        same(puppet.raisesAsked, 2);
    }

    private static void answersRaises() {
        Puppet puppet = new Puppet();
        Bot bot = new Bot(() -> puppet);
        String[] actions = {"run:1", "accept:3", "raise:6"};
        String[] answers = {"run:1", "accept:3", "raise:6"};
        for (puppet.response = -1; puppet.response <= 1; puppet.response++) {
            same(bot.choose(turn("answer", "[0, 0]", 1, SECOND, "['7D']", actions)), answers[puppet.response + 1]);
        }
        same(puppet.shown.getHandPoints(), 1);
        puppet.response = 1;
        same(bot.choose(turn("answer", "[9, 9]", 1, SECOND, "['7D']", actions)), "accept:3");
        same(bot.choose(turn("answer", "[0, 0]", 9, SECOND, "['7D']", "run:9", "accept:12")), "accept:12");
    }

    private static void decidesTheHandOfEleven() {
        Puppet puppet = new Puppet();
        Bot bot = new Bot(() -> puppet);
        same(bot.choose(turn("eleven", "[3, 11]", 3, "[]", "['7D']", "run:1", "accept:3")), "accept:3");
        same(puppet.shown.getHandPoints(), 1);
        puppet.yes = false;
        same(bot.choose(turn("eleven", "[3, 11]", 3, "[]", "['7D']", "run:1", "accept:3")), "run:1");
    }

    private static void playsOnWhenTheBotFails() {
        Puppet puppet = new Puppet();
        puppet.response = 7;
        var printed = System.err;
        System.setErr(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()));
        try {
            Bot bot = new Bot(() -> puppet);
            same(bot.choose(turn("answer", "[0, 0]", 1, SECOND, "['7D']", "run:1", "accept:3")), "run:1");
            same(bot.choose(turn("play", "[0, 0]", 1, SECOND, "[]", "play:7D", "play:2S")), "play:7D");
        } finally {
            System.setErr(printed);
        }
    }

    /** A turn of seat 1, in which the value proposed while an answer is due is the one after the stake. */
    private static Map<String, Object> turn(
            String phase, String score, int stake, String tricks, String hand, String... actions) {
        int next = stake == 1 ? 3 : stake + 3;
        String text = "{'turn': 'g.1.1', 'game': 'g', 'seat': 1, 'legal_actions': " + Json.write(List.of(actions))
                + ", 'observation': {'phase': '" + phase + "', 'score': " + score + ", 'stake': " + stake
                + ", 'vira': 'QS', 'hand': " + hand + ", 'tricks': " + tricks + ", 'truco': {'value': " + next + "}}}";
        return Json.object(Json.read(text.replace('\'', '"')));
    }

    private static void same(Object found, Object expected) {
        if (!found.toString().equals(expected.toString())) throw new AssertionError(found + " is not " + expected);
    }
}

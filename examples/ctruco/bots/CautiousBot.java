import com.bueno.spi.model.CardToPlay;
import com.bueno.spi.model.GameIntel;
import com.bueno.spi.model.TrucoCard;
import com.bueno.spi.service.BotServiceProvider;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A small bot of the CTruco contest's interface: wins a trick as cheaply as it can, and raises with a high manilha. */
public class CautiousBot implements BotServiceProvider {
    @Override
    public boolean getMaoDeOnzeResponse(GameIntel intel) {
        return best(intel) >= 8;
    }

    @Override
    public boolean decideIfRaises(GameIntel intel) {
        return best(intel) >= 12 || intel.getRoundResults().contains(GameIntel.RoundResult.WON) && best(intel) >= 9;
    }

    @Override
    public CardToPlay chooseCard(GameIntel intel) {
        TrucoCard vira = intel.getVira();
        List<TrucoCard> hand = intel.getCards().stream()
                .sorted(Comparator.comparing(card -> card.relativeValue(vira)))
                .toList();
        TrucoCard weakest = hand.get(0);
        if (intel.getOpponentCard().isEmpty()) {
            return CardToPlay.of(intel.getRoundResults().isEmpty() ? hand.get(hand.size() - 1) : weakest);
        }
        TrucoCard theirs = intel.getOpponentCard().get();
        Optional<TrucoCard> winning =
                hand.stream().filter(card -> card.compareValueTo(theirs, vira) > 0).findFirst();
        if (winning.isPresent()) return CardToPlay.of(winning.get());
        return intel.getRoundResults().isEmpty() ? CardToPlay.of(weakest) : CardToPlay.discard(weakest);
    }

    @Override
    public int getRaiseResponse(GameIntel intel) {
        return best(intel) >= 12 ? 1 : best(intel) >= 9 ? 0 : -1;
    }

    private static int best(GameIntel intel) {
        return intel.getCards().stream().mapToInt(card -> card.relativeValue(intel.getVira())).max().orElse(0);
    }
}

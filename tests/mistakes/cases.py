"""Frequent mistakes at the API and the command line, with the errors that they get."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

BOT: Final = "zap-bot"
OTHER_BOT: Final = "pias-bot"


class Request(NamedTuple):
    """A wrong request, and what its reply says: the code of the problem (empty: it is none), what is wrong,
    and what is allowed. ``who``: the owner ana, her bot, or nobody.
    """

    name: str
    method: str
    path: str
    body: Any
    code: str
    says: str
    expects: str = ""
    who: str = "ana"
    headers: Mapping[str, str] = MappingProxyType({})


class Command(NamedTuple):
    """A wrong command line, and the parts of its only line on stderr, with `` ... `` between them."""

    line: str
    says: str


TOEPEN: Final = {"kind": "toepen", "seats": [{"open": True}, {"house": "rookie"}]}
CUP: Final = {"name": "Cup", "kind": "toepen", "format": "round_robin", "house": ["rookie", "random"]}
UTC: Final = "in RFC 3339 or as Unix time in milliseconds"


def seats(*seats: Any) -> dict[str, Any]:
    """A game of Toepen."""
    return {"kind": "toepen", "seats": list(seats)}


# fmt: off
FOUND: Final[list[Request]] = [
    Request("Toepen with one seat", "POST", "/v1/games", seats({"open": True}), "invalid",
            "must be 2 to 8 seats, not 1", "2 to 8 seats"),
    Request("Truco with five seats", "POST", "/v1/games", {"kind": "truco", "seats": 5 * [{"open": True}]},
            "invalid", "must be 2 to 4 seats, not 5", "2 to 4 seats"),
    Request("seat {hous}", "POST", "/v1/games", seats({"hous": "rookie"}, {"open": True}), "invalid",
            "one of bot, house, open, not hous"),
    Request("no kind", "POST", "/v1/games", {"seats": []}, "invalid", "missing data", "one of truco, toepen"),
    Request("locks_ms in seconds", "POST", "/v1/tournaments", {**CUP, "locks_ms": 1_900_000_000},
            "invalid_tournament", "1970-01-22T23:46:40Z) is too early", UTC),
    Request("locks_ms as text", "POST", "/v1/tournaments", {**CUP, "locks_ms": "tomorrow"}, "invalid",
            "RFC 3339 such as ", "Unix time in milliseconds"),
    Request("locks_ms without an offset", "POST", "/v1/tournaments",
            {**CUP, "locks_ms": "2026-12-31T20:00:00"}, "invalid", "RFC 3339", "Unix time in milliseconds"),
    Request("locks_ms in the past", "POST", "/v1/tournaments", {**CUP, "locks_ms": "2020-01-01T00:00:00Z"},
            "invalid_tournament", "(2020-01-01T00:00:00Z) is too early for locks_ms", UTC),
    Request("a list as body", "POST", "/v1/owners", [], "invalid", "the body must be an object, not a list"),
    Request("a list as game", "POST", "/v1/games", [], "invalid", "the body must be an object, not a list"),
    Request("leaderboard without division", "GET", "/v1/leaderboards/toepen", None, "not_found",
            "did you mean /v1/leaderboards/toepen/{division}?"),
    Request("leaderboard of chess", "GET", "/v1/leaderboards/chess/open", None, "kind_not_found", "chess",
            "toepen, truco"),
    Request("trailing slash", "GET", "/v1/tournaments/", None, "not_found", "did you mean /v1/tournaments?",
            "/v1/tournaments"),
    Request("no /v1", "GET", "/records/changes", None, "not_found", "did you mean /v1/records/changes?"),
    Request("invited without who", "POST", "/v1/tournaments", {**CUP, "invited": ["rookie"]},
            "invalid_tournament", "anyone may enter", 'who "invited"'),
    Request("Truco with three seats", "POST", "/v1/games", {"kind": "truco", "seats": 3 * [{"open": True}]},
            "invalid_option", "seats=3: Truco is for two or four players"),
    Request("an answer without an action", "POST", "/v1/turns", {"answers": [{"turn": "gone.0.1"}]}, "",
            "malformed", who="zap-bot"),
    Request("no token", "POST", "/v1/bots", {"name": "ouros-bot"}, "missing_token", "requires a token",
            who=""),
    Request("wrong scheme", "POST", "/v1/bots", {"name": "ouros-bot"}, "invalid_token", "has no bearer token",
            who="",
            headers={"Authorization": "Basic YW5hOng="}),
    Request("a form", "POST", "/v1/games", b"kind=truco", "unsupported_media_type",
            "is not supported", "application/json",
            headers={"Content-Type": "application/x-www-form-urlencoded"}),
    Request("several unknown fields", "POST", "/v1/bots", {"name": "ouros-bot", "colour": 1, "motto": "x"},
            "invalid", "unknown", "name, version"),
    Request("unknown query parameter", "GET", "/v1/bots?colour=red", None, "invalid", "colour",
            "cursor, limit"),
    Request("wrong method", "DELETE", "/v1/games", None, "method_not_allowed", "does not support DELETE",
            "GET"),
    Request("token of a bot for what owners do", "POST", "/v1/bots", {"name": "ouros-bot"}, "forbidden",
            "scope bot", "owner", who="zap-bot"),
    Request("wait=300", "GET", "/v1/turns?wait=300", None, "invalid", "300 is out of range", "0 to 60",
            who="zap-bot"),
    Request("a cursor that is none", "GET", "/v1/tournaments?cursor=!", None, "invalid_cursor", "cursor"),
    Request("rule that there is not", "POST", "/v1/games", {**TOEPEN, "rules": {"jokers": 2}},
            "invalid_option", "jokers", "lives"),
    Request("value that a rule cannot have", "POST", "/v1/games", {**TOEPEN, "rules": {"lives": "many"}},
            "invalid_option", "many", "1 to"),
    Request("unknown house bot in a tournament", "POST", "/v1/tournaments", {**CUP, "house": ["deep-blue"]},
            "invalid_tournament", "'deep-blue' is not a house bot of toepen", "rookie"),
    Request("bot of somebody else", "POST", "/v1/games", seats({"bot": "pias-bot"}, {"house": "rookie"}),
            "forbidden", "pias-bot is not your bot"),
    Request("several mistakes at once", "POST", "/v1/games", {"kind": "toepen", "seats": [5], "clock": 3},
            "invalid", "must be an object"),
]
"""Wrong requests."""

MORE: Final[list[Request]] = [
    Request("singular", "GET", "/v1/tournament", None, "not_found", "did you mean /v1/tournaments?"),
    Request("singular of one", "GET", "/v1/bot/zap-bot", None, "not_found", "did you mean /v1/bots/zap-bot?"),
    Request("typing error", "GET", "/v1/leaderbords", None, "not_found", "did you mean /v1/leaderboards?"),
    Request("twice /v1", "GET", "/v1/v1/games", None, "not_found", "did you mean /v1/games?"),
    Request("/api", "GET", "/api/games", None, "not_found", "did you mean /v1/games?"),
    Request("capitals", "GET", "/v1/Bots/zap-bot", None, "not_found", "did you mean /v1/bots/zap-bot?"),
    Request("unknown field", "POST", "/v1/bots", {"name": "ouros-bot", "desciption": "x"}, "invalid",
            "did you mean description?", "name, version"),
    Request("camel case", "POST", "/v1/tournaments", {**CUP, "maxEntries": 4}, "invalid",
            "did you mean max_entries?", "max_entries"),
    Request("unknown field deep inside", "POST", "/v1/games", {**TOEPEN, "clock": {"per_turn": 5000}},
            "invalid", "did you mean per_turn_ms?", "one of preset, per_turn_ms, bank_ms"),
    Request("kind in capitals", "POST", "/v1/games", {**TOEPEN, "kind": "Toepen"}, "kind_not_found",
            "did you mean toepen?"),
    Request("format run together", "POST", "/v1/tournaments", {**CUP, "format": "roundrobin"}, "invalid",
            "'roundrobin' is not allowed; did you mean round_robin?", "one of: round_robin"),
    Request("house bot as bot", "POST", "/v1/games", seats({"bot": "rookie"}, {"open": True}),
            "bot_not_found", "this is the name of a house bot", '{"house": "rookie"}'),
    Request("house bot as of the command", "POST", "/v1/games",
            seats({"bot": "house:rookie"}, {"open": True}), "bot_not_found", "this is the name of a house "
            "bot",
            '{"house": "rookie"}'),
    Request("bot with its owner", "POST", "/v1/games", seats({"bot": "ana/zap-bot"}, {"open": True}),
            "bot_not_found", "use the bot's name without its owner: did you mean zap-bot?"),
    Request("bot with a typing error", "POST", "/v1/games", seats({"bot": "zap-bto"}, {"open": True}),
            "bot_not_found", "did you mean zap-bot?"),
    Request("unknown house bot", "POST", "/v1/games", seats({"house": "rooky"}, {"open": True}), "invalid",
            "'rooky' is not allowed; did you mean rookie?"),
    Request("name with an underscore", "POST", "/v1/bots", {"name": "my_bot"}, "invalid",
            "did you mean my-bot?", "3 to 32"),
    Request("page", "GET", "/v1/bots?page=2", None, "invalid", "did you mean cursor?",
            "one of cursor, limit"),
    Request("per_page", "GET", "/v1/bots?per_page=2", None, "invalid", "did you mean limit?"),
    Request("token in the query", "GET", "/v1/bots?token=btq_o_ana_x", None, "invalid",
            "send the token in the header Authorization: Bearer <token>"),
    Request("limit too large", "GET", "/v1/bots?limit=1000", None, "invalid", "1000 is out of range",
            "1 to 100"),
    Request("limit in words", "GET", "/v1/bots?limit=ten", None, "invalid",
            "not a valid integer; got 'ten'", "integer"),
    Request("limit with an underscore", "GET", "/v1/bots?limit=1_0", None, "invalid", "got '1_0'"),
    Request("limit in other digits", "GET", "/v1/bots?limit=%D9%A1", None, "invalid", "got '"),
    Request("number in quotes", "POST", "/v1/tournaments", {**CUP, "groups": "4"}, "invalid",
            "'4' is a string: write it without quotes"),
    Request("truth in quotes", "POST", "/v1/tournaments", {**CUP, "auto_enter": "true"}, "invalid",
            "'true' is a string: write it without quotes"),
    Request("clock as a number", "POST", "/v1/games", {**TOEPEN, "clock": 30}, "invalid", "not a number",
            "object"),
    Request("clock in seconds", "POST", "/v1/games", {**TOEPEN, "clock": {"per_turn_ms": 30}}, "invalid",
            "30 is out of range", "100 to "),
    Request("name as a number", "POST", "/v1/bots", {"name": 5}, "invalid", "5 is a number",
            "a valid string"),
    Request("empty body", "POST", "/v1/games", b"", "malformed_json", "the body is empty"),
    Request("single quotes", "POST", "/v1/games", b"{'kind': 'truco'}", "malformed_json", "double quotes"),
    Request("Python's True", "POST", "/v1/games", b'{"kind": "truco", "open": True}', "malformed_json",
            "in JSON, use true, false and null"),
    Request("trailing comma", "POST", "/v1/games", b'{"kind": "truco",}', "malformed_json",
            "a comma before a closing bracket"),
    Request("a form as JSON", "POST", "/v1/games", b"kind=truco", "malformed_json", "this is a form"),
    Request("rule with a typing error", "POST", "/v1/games", {**TOEPEN, "rules": {"live": 3}},
            "invalid_option", "did you mean lives?"),
    Request("preset with a typing error", "GET", "/v1/leaderboards/toepen/open?preset=duel1", None,
            "preset_not_found", "did you mean duel@1?"),
    Request("division in capitals", "GET", "/v1/leaderboards/toepen/Open", None, "division_not_found",
            "did you mean open?"),
    Request("method of another operation", "GET", "/v1/games/x/join", None, "method_not_allowed",
            "does not support GET", "POST"),
]
"""Further ones."""

OFFLINE: Final[list[Command]] = [
    Command("tournamnet list", "No such command 'tournamnet'. Did you mean 'tournament'?"),
    Command("bot lst", "No such command 'lst'. Did you mean 'list'?"),
    Command("schedule delet", "No such command 'delet'. Did you mean 'delete'?"),
    Command("play truco random --gruops 3", "No such option '--gruops'. Did you mean '--groups'?"),
    Command("play truco random rookei", "there is no bot 'rookei' ... did you mean 'rookie'?"),
    Command("play trucoo random rookie", "did you mean 'truco'?"),
    Command("compare random rookie --kind topen", "did you mean 'toepen'?"),
    Command("play truco random rookie --rule max_burn=1", "did you mean 'max_burns'?"),
    Command("play toepen random rookie --rule end=eliminaton", "did you mean 'elimination'?"),
    Command("compare random rookie --kind truco --preset bas@1", "did you mean 'base@1'?"),
    Command("tournament create Cup toepen --rule seats=2 --format swis", "Did you mean 'swiss'?"),
    Command("tournament create Cup toepen --rule seats=2 --division seald", "Did you mean 'sealed'?"),
    Command("game list --state runing", "Did you mean 'running'?"),
    Command("completion powershell", "'powershell' is not one of 'bash', 'zsh', 'fish'."),
    Command("play truco random rookie --groups 0", "'--groups': 0 is not in the range x>=1"),
    Command("play truco random rookie --think-limit 0", "0.0 is not in the range x>0"),
    Command("play truco random rookie --jobs -3", "'--jobs': -3 is not in the range x>=1"),
    Command("bot test random --records /no-dir/x", "/no-dir/x: No such file or directory"),
    Command("series create Autumn --best 0", "'--best': 0 is not in the range 1<=x<=60"),
    Command("tournament create Cup toepen --rule seats=2 --groups 0",
            "Invalid value for '--groups': 0 is not in the range 1<=x<=1000"),
    Command("tournament create Cup toepen --rule seats=2 --starts 2020-01-01T00:00",
            "Invalid value for '--starts': 2020-01-01T00:00 is in the past"),
    Command("tournament create Cup toepen --rule seats=2 --opens +10m --starts +5m --token t",
            "'--starts': the time must be later than --opens"),
    Command("tournament create Cup toepen --rule seats=2 --ends +1m --token t",
            "'--ends': the time must be later than --starts"),
    Command("schedule create nightly Nightly truco --at 2020-01-01T00:00",
            "Invalid value for '--at': 2020-01-01T00:00 is in the past"),
    Command("schedule create nightly Nightly truco --token t", "exactly one of --cron and --at is required"),
    Command("webhook test localhost:9000", "'localhost:9000' is not a URL; expected http:// or https://"),
    Command("webhook test http://127.0.0.1:9 --secret abc", "at --secret; expected whsec_"),
    Command("tournament list --url ftp://x", "'ftp://x' is not a valid service URL; at --url"),
    Command("tournament list --url http://127.0.0.1:9/v1",
            "is the URL of the API, not of the service; at --url; expected http://127.0.0.1:9"),
    Command("whoami", "the token of an owner, a bot or an admin is missing; run 'botequim login'"),
    Command("whoami --profile work", "'botequim login --profile work' first"),
    Command("bot register my-bot --token t --secret s", "--secret and --rights require --webhook"),
    Command("bot change my-bot --token t", "nothing to change; expected an option such as --people"),
    Command("bot list --mine --owner ana --token t", "--mine and --owner cannot be used together"),
    Command("--json whoami", "No such option '--json' before the command; options come after it"),
    Command("completion", "Choose from: bash, zsh, fish"),
    Command("leaderboard", "Missing argument 'FILE...'. To show the boards of a service, use --online."),
    Command("leaderboard --bot x out.jsonl", "--bot requires --history"),
    Command("leaderboard --history out.jsonl",
            "--history and --styles read from a service and cannot be used with FILE"),
    Command("bot submit my_bot.py --token t", "Missing option '--name'"),
    Command("webhook test http://127.0.0.1:9/ --secret whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0",
            "nothing is listening on port 9 of 127.0.0.1; at URL; expected the URL of a running receiver"),
    Command("webhook test http://no-such-host.invalid/",
            "the host 'no-such-host.invalid' does not exist; at URL"),
    Command("play truco random nofile.py", "there is no file 'nofile.py' ... at BOTS"),
    Command("compare random rookie.py --kind truco", "there is no file 'rookie.py' ... at OLD"),
    Command("compare --online zap-bot --kind truco --token t",
            "--online BOT requires --new and --old, and takes --preset but no other rules"),
    Command("compare random rookie --kind truco --elo0 5 --elo1 5", "5 is not greater than --elo0 (5)"),
    Command("new my_bot", "Missing option '--game'"),
    Command("new My.Bot --game truco", "'My.Bot' is not a valid bot name ... at NAME; expected 3 to 32"),
    Command("new random --game truco", "the name 'random' is already taken"),
    Command("new my_bot --game truco --language ruby", "'ruby' is not one of 'python', 'javascript'"),
    Command("verify no_file.json", "cannot read no_file.json: No such file or directory"),
    Command("replay no_file.json", "cannot read no_file.json: No such file or directory"),
    Command("explain no_file.json", "cannot read no_file.json: No such file or directory"),
    Command("bot run no_file.py --token t", "there is no file 'no_file.py' ... at FILE"),
    Command("bot debug no_file.py", "Missing option '--turn'"),
    Command("tournament create Cup toepen --starts tomorrow", "'tomorrow'"),
    Command("tournament create Cup toepen --turn-seconds soon", "'soon'"),
]
"""What the command line says by itself."""

ONLINE: Final[list[Command]] = [
    Command("game create toepen rookie house:random",
            "this is the name of a house bot; at SEAT ... expected house:rookie for the house bot"),
    Command("game create toepen house:rookei open", "did you mean 'rookie'?"),
    Command("game create toepen open open --turn-seconds 0.001", "--turn-seconds"),
    Command("game create toepen open open --rule seats=3", "SEAT"),
    Command("game show nothing", "there is no game 'nothing'; at GAME"),
    Command("tournament create Cup toepen --rule seats=2 --format open", "requires --ends"),
    Command("tournament create Cup toepen --rule seats=2 --per-owner 65",
            "65 is not a valid value for --per-owner; expected a whole number from 1 to 64"),
    Command("tournament create Cup toepen --rule seats=2 --house deep-blue",
            "'deep-blue' is not a house bot of toepen; at --house"),
    Command("tournament create Cup toepen --rule seats=2 --turn-seconds 0s", "--turn-seconds"),
    Command("tournament create Cup toepen --rule seats=2 --tie-break buchholtz", "--tie-break"),
    Command("tournament show nothing", "there is no tournament 'nothing'"),
    Command("tournament standings nothing", "there is no tournament 'nothing'"),
    Command("bot register my_bot", "must be 3 to 32 of a-z, 0-9 and, inside, hyphens"),
    Command("bot show nobody", "there is no bot 'nobody'; at NAME"),
    Command("bot submit no_file.py --name my-bot", "no_file.py cannot be read: No such file"),
    Command("bot register hooked --webhook ftp://x", "at --webhook"),
    Command("admin audit", "a token with scope owner does not permit this operation; at --token"),
    Command("schedule create nightly Nightly truco --cron '0 25 * * *'",
            "at --cron; expected five fields (minute hour day"),
    Command("schedule show nightly", "there is no schedule 'nightly'"),
    Command("bot delete nobody", "there is no bot 'nobody'; at NAME"),
    Command("bot change nobody --people", "there is no bot 'nobody'; at NAME"),
    Command("bot rotate nobody", "there is no bot 'nobody'; at NAME"),
    Command("bot log nobody game-1", "'nobody' ... at NAME"),
    Command("bot uploads nobody", "there is no bot 'nobody'; at NAME"),
    Command("bot qualifications nobody", "there is no bot 'nobody'; at NAME"),
    Command("bot qualify zap-bot chess", "chess ... truco"),
    Command("bot qualify zap-bot truco --version 7", "7 ... at --version"),
    Command("bot qualify zap-bot truco --preset paulist@1", "did you mean 'paulista@1' or"),
    Command("compare --online nobody --new 2 --old 1 --kind truco", "there is no bot 'nobody'; at --online"),
    Command("compare --online pias-bot --new 2 --old 1 --kind truco", "pias-bot is not yours; at --online"),
    Command("compare --online zap-bot --new 2 --old 1 --kind truco",
            "zap-bot has no version '2'; at --new"),
    Command("compare --online zap-bot --new 1 --old 1 --kind truco",
            "1 cannot be both the new and the old version; at --old"),
    Command("compare --follow nothing", "there is no comparison 'nothing'; at --follow"),
    Command("schedule create nightly Nightly truco --cron daily --house rookie --house random",
            "'daily' is not a valid cron line: it has 1 field; at --cron; expected five fields"),
    Command("schedule create nightly Nightly truco --cron '* * * *' --house rookie --house random",
            "it has 4 fields; at --cron; expected five fields"),
    Command("schedule create nightly Nightly truco --cron '*/5 * * * *' --house rookie --house random",
            "fires more often than once an hour; at --cron"),
    Command("schedule edit nothing --cron '0 20 * * *'", "there is no schedule 'nothing'; at SCHEDULE"),
    Command("schedule create Nightly Nightly truco --cron '0 20 * * *'",
            "SCHEDULE: must be 1 to 24 of a-z ... did you mean nightly?"),
    Command("tournament enter nothing zap-bot", "there is no tournament 'nothing'; at TOURNAMENT"),
    Command("tournament cancel nothing --reason x", "there is no tournament 'nothing'; at TOURNAMENT"),
    Command("tournament follow nothing http://127.0.0.1:9/", "there is no tournament 'nothing'"),
    Command("tournament create Cup toepen --preset duel@2", "did you mean duel@1?"),
    Command("tournament create Cup toepen --rule live=3", "did you mean 'lives'?"),
    Command("series show nothing", "there is no series 'nothing'"),
    Command("game watch nothing", "there is no game 'nothing'; at GAME"),
    Command("game record nothing", "there is no game 'nothing'; at GAME"),
    Command("game create toepen zap-bto house:rookie", "did you mean zap-bot?; at SEAT"),
    Command("bot run random --join nothing",
            "a token with scope owner does not permit ... at --token; expected a token with scope bot"),
    Command("signup ana", "the name 'ana' is taken; at NAME"),
]
"""What the service says, in the words of the command."""
# fmt: on

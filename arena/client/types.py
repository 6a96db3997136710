"""The types of what the methods of the client take and return.

``python -m api.openapi.client_types`` makes this file, and a test compares it.
"""

# ruff: noqa: E501

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict


class Over(TypedDict):
    next: int


class Reconnect(TypedDict):
    code: str
    after_ms: int


class Owner(TypedDict):
    name: str
    created_ms: int
    admin: bool


class Quota(TypedDict):
    used: int
    most: int
    left: int


class Quotas(TypedDict):
    bots: Quota
    versions: Quota
    bytes: Quota


class Budget(TypedDict):
    used: int
    most: int
    left: int


class Budgets(TypedDict):
    groups: Budget
    fuel_ms: Budget
    renews_ms: int


class InvitationQuota(TypedDict):
    used: int
    most: int
    left: int


class OwnOwner(TypedDict):
    name: str
    created_ms: int
    admin: bool
    quotas: Quotas
    budgets: Budgets
    invitations: InvitationQuota
    bot_invitations: list[str]


class Export(TypedDict):
    format: Literal["botequim-account@1"]
    exported_ms: int
    owner: Owner
    bots: list[dict[str, object]]
    shared_bots: list[str]
    bot_invitations: list[str]
    tournaments: list[dict[str, object]]
    entries: list[dict[str, object]]
    series: list[dict[str, object]]
    invitations: list[dict[str, object]]
    schedules: list[dict[str, object]]
    comparisons: list[dict[str, object]]
    subscriptions: list[dict[str, object]]


class Person(TypedDict):
    name: str
    handle: NotRequired[str]
    email: NotRequired[str]


class Invitation(TypedDict):
    id: str
    roster: str
    number: int
    name: str | None
    handle: str | None
    email: str | None
    state: Literal["open", "used", "revoked", "expired"]
    owner: str | None
    created_ms: int
    expires_ms: int
    used_ms: int | None


class NewInvitation(Invitation):
    code: str
    url: str | None


class Version(TypedDict):
    label: str
    transport: str
    created_ms: int
    language: Literal["python", "component"] | None
    digest: str | None
    games: list[str]
    published: bool


class Webhook(TypedDict):
    url: str
    rights: bool
    circuit: Literal["closed", "open", "half_open"]
    failures: int
    open_until_ms: int | None
    last_error: str | None
    last_error_ms: int | None
    last_ok_ms: int | None


class Suspension(TypedDict):
    reason: str
    at_ms: int
    tournament: str
    group: str


class BotSummary(TypedDict):
    name: str
    owner: str
    co_owners: list[str]
    state: Literal["active", "withdrawn"]
    version: str | None
    description: str
    created_ms: int
    datasets: bool


class Bot(BotSummary):
    tournaments: bool
    people: bool
    model: str
    game_cost: float | None
    versions: list[Version]
    webhook: Webhook | None
    suspended: Suspension | None


class Qualification(TypedDict):
    kind: str
    preset: str
    state: Literal["qualifying", "qualified", "failed"]
    tournament: str
    reason: str | None
    detail: str | None
    at_ms: int


class Upload(TypedDict):
    id: str
    bot: str
    version: str
    state: Literal["received", "compiled", "loaded", "added", "refused"]
    code: str | None
    reason: str | None
    language: Literal["python", "component"]
    digest: str
    size: int
    received_ms: int
    qualifications: list[Qualification]


class BotWithToken(TypedDict):
    bot: Bot
    token: str
    webhook_secret: str | None
    upload: Upload | None


class GameTournament(TypedDict):
    id: str
    name: str


class BotGameSeat(TypedDict):
    seat: int
    type: Literal["bot", "person", "house", "open"]
    name: str | None
    version: str | None


class Outcome(TypedDict):
    places: list[int]
    scores: list[int]
    forfeits: list[int]


class BotGame(TypedDict):
    game: str
    kind: Literal["truco", "toepen"]
    preset: str | None
    state: Literal["waiting", "running", "finished", "cancelled", "void"]
    rated: bool
    annulled: bool
    tournament: GameTournament | None
    seats: list[BotGameSeat]
    seat: int
    team: list[int]
    sides: int
    outcome: Outcome | None
    result: Literal["won", "lost", "drawn", "running"] | None
    at_ms: int


class AddedVersion(Version):
    webhook_secret: str | None
    added: bool


class Source(TypedDict):
    language: Literal["python", "component"]
    digest: str
    source: str | None
    component: str | None


class Decision(TypedDict):
    turn: str
    ms: float
    fault: NotRequired[str]
    detail: NotRequired[str]


class SeatFault(TypedDict):
    type: str
    after: int
    detail: str


class SeatLog(TypedDict):
    seat: int
    version: str
    output: str
    cut: bool
    load_ms: float
    decisions: list[Decision]
    faults: list[SeatFault]


class GameLog(TypedDict):
    game: str
    seats: list[SeatLog]


class Note(TypedDict):
    after: int
    seat: int
    action: str
    note: str


class GameNotes(TypedDict):
    game: str
    published: bool
    notes: list[Note]


class Secret(TypedDict):
    secret: str
    previous_until_ms: int | None


class BotOwners(TypedDict):
    owner: str
    co_owners: list[str]
    invited: list[str]


class Clock(TypedDict):
    preset: NotRequired[Literal["standard", "patient"]]
    per_turn_ms: NotRequired[int]
    bank_ms: NotRequired[int]


class BotSeat(TypedDict):
    bot: str
    nonce: NotRequired[str]


class HouseSeat(TypedDict):
    house: Literal["random", "rookie", "regular", "shark"]


class OpenSeat(TypedDict):
    open: Literal[True]


class TrucoRules(TypedDict):
    variant: NotRequired[Literal["base", "paulista", "mineiro"]]
    seats: NotRequired[int]
    pack: NotRequired[Literal["full", "clean"]]
    manilhas: NotRequired[Literal["fixed", "turned"]]
    cut: NotRequired[Literal["player", "none"]]
    exchange: NotRequired[bool]
    max_burns: NotRequired[int]
    stakes: NotRequired[Literal["1-3-6-9-12", "2-4-6-10-12", "2-4-8-10-12", "2-4-8-12"]]
    truco_scope: NotRequired[Literal["trick", "hand"]]
    truco_from: NotRequired[Literal["any", "after_first_trick"]]
    raise_limit: NotRequired[Literal["none", "own", "both"]]
    face_down: NotRequired[Literal["any", "after_first_trick", "never"]]
    tie_lead: NotRequired[Literal["first_best", "opener"]]
    all_tied: NotRequired[Literal["nobody", "forehand"]]
    both_eleven: NotRequired[Literal["blind", "open"]]
    signals: NotRequired[Literal["off", "table"]]
    max_hands: NotRequired[int]


class ToepenRules(TypedDict):
    seats: NotRequired[int]
    lives: NotRequired[int]
    max_exchanges: NotRequired[int]
    whistling: NotRequired[bool]
    knocking: NotRequired[Literal["anytime", "on_turn"]]
    end: NotRequired[Literal["elimination", "rubber"]]
    rubbers: NotRequired[int]


class Seat(TypedDict):
    seat: int
    type: Literal["bot", "person", "house", "open"]
    name: str | None
    version: str | None
    nonce: str


class ShownClock(TypedDict):
    per_turn_ms: int
    bank_ms: int


class Group(TypedDict):
    id: str
    index: int
    size: int
    mirrored: bool
    attempt: int


class GameBase(TypedDict):
    game: str
    state: Literal["waiting", "running", "finished", "cancelled", "void"]
    seats: list[Seat]
    clock: ShownClock
    visibility: Literal["public", "private"]
    rated: bool
    group: Group | None
    commitment: str
    created_by: str
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    released: bool
    outcome: Outcome | None
    reason: str | None


class TrucoGame(GameBase):
    kind: Literal["truco"]
    rules: TrucoRules


class ToepenGame(GameBase):
    kind: Literal["toepen"]
    rules: ToepenRules


Game: TypeAlias = "TrucoGame | ToepenGame"


class SeatClock(TypedDict):
    seat: int
    bank_ms: int
    runs_out_at_ms: int | None


class Fault(TypedDict):
    seat: int
    type: Literal["late", "illegal", "malformed", "unreachable", "crashed"]
    after: int


class TakenOver(TypedDict):
    seat: int
    reason: Literal["resigned", "forfeit"]


class TrucoPlay(TypedDict):
    seat: int
    card: str | None
    face_down: bool


class TrucoTrick(TypedDict):
    leader: int
    plays: list[TrucoPlay]
    over: bool
    winner: int | None


class TrucoCall(TypedDict):
    seat: int
    team: int
    trick: int
    on_table: int
    proposer: int
    value: int
    pending: bool
    deferred: bool


class TrucoSignal(TypedDict):
    trick: int
    seat: int
    gesture: Literal["wink", "eyebrow", "cheek", "tongue", "shoulder", "nose"]


TrucoSaid = TypedDict(
    "TrucoSaid",
    {
        "seat": "int",
        "said": "Literal['cut', 'no_cut', 'keep', 'pass', 'burn', 'truco', 'raise', 'accept', 'defer', 'signal']",
        "value": "int | None",
        "trick": "int",
        "on_table": "int",
        "from": "Literal['top', 'bottom'] | None",
        "gesture": "Literal['wink', 'eyebrow', 'cheek', 'tongue', 'shoulder', 'nose'] | None",
    },
)


class TrucoObservation(TypedDict):
    seat: int | None
    hand_number: int
    score: list[int]
    phase: Literal["dealer", "deal", "cut", "choose", "eleven", "play", "answer", "over"]
    awaiting: list[int]
    dealer: int | None
    forehand: int | None
    stake: int
    elevens: list[int]
    hand: list[str]
    partner_dealt: list[str]
    passed: bool
    passed_cards: list[str]
    burned: list[list[str]]
    held: list[int]
    tricks: list[TrucoTrick]
    truco: TrucoCall | None
    eleven_deferred: bool
    extra_trick: bool
    signals: list[TrucoSignal]
    calls: list[TrucoSaid]
    vira: str | None
    manilhas: list[str] | None
    right: Literal["either", 0, 1] | None


class TrucoSeatEvent(TypedDict):
    n: int
    type: Literal["dealer", "kept", "defer"]
    seat: int


class TrucoHandEvent(TypedDict):
    n: int
    type: Literal["hand"]
    number: int
    dealer: int
    score: list[int]


TrucoCutEvent = TypedDict(
    "TrucoCutEvent",
    {
        "n": "int",
        "type": "Literal['cut']",
        "seat": "int",
        "lifted": "int",
        "from": "Literal['top', 'bottom']",
    },
)


class TrucoDealtEvent(TypedDict):
    n: int
    type: Literal["dealt"]
    seat: int
    count: int
    cards: list[str] | None


class TrucoViraEvent(TypedDict):
    n: int
    type: Literal["vira"]
    card: str


class TrucoShownEvent(TypedDict):
    n: int
    type: Literal["passed", "shown"]
    seat: int
    cards: list[str] | None


class TrucoBurnedEvent(TypedDict):
    n: int
    type: Literal["burned"]
    seat: int
    cards: list[str]


class TrucoStakeEvent(TypedDict):
    n: int
    type: Literal["truco", "raise", "accept"]
    seat: int
    value: int


class TrucoRunEvent(TypedDict):
    n: int
    type: Literal["run"]
    seat: int
    points: int


class TrucoPlayEvent(TypedDict):
    n: int
    type: Literal["play"]
    seat: int
    card: str


class TrucoHideEvent(TypedDict):
    n: int
    type: Literal["hide"]
    seat: int
    card: str | None


class TrucoTrickEvent(TypedDict):
    n: int
    type: Literal["trick"]
    number: int
    winner: int | None
    leader: int


class TrucoHandOverEvent(TypedDict):
    n: int
    type: Literal["hand_over"]
    winner: int | None
    points: int
    score: list[int]
    reason: Literal["run", "tricks", "truco", "tied_before_call"]


class TrucoSignalEvent(TypedDict):
    n: int
    type: Literal["signal"]
    seat: int
    gesture: Literal["wink", "eyebrow", "cheek", "tongue", "shoulder", "nose"]


class TrucoGameOverEvent(TypedDict):
    n: int
    type: Literal["game_over"]
    winner: int | None
    score: list[int]


class TurnBase(TypedDict):
    turn: str
    game: str
    seat: int
    optional: bool
    deadline_ms: int | None
    bank_ms: int | None


class TrucoTurn(TurnBase):
    kind: Literal["truco"]
    rules: TrucoRules
    legal_actions: list[str]
    default_action: str | None
    observation: TrucoObservation
    events: list[
        TrucoSeatEvent
        | TrucoHandEvent
        | TrucoCutEvent
        | TrucoDealtEvent
        | TrucoViraEvent
        | TrucoShownEvent
        | TrucoBurnedEvent
        | TrucoStakeEvent
        | TrucoRunEvent
        | TrucoPlayEvent
        | TrucoHideEvent
        | TrucoTrickEvent
        | TrucoHandOverEvent
        | TrucoSignalEvent
        | TrucoGameOverEvent
    ]


class ViewBase(GameBase):
    version: int
    seat: int | None
    awaiting: list[int]
    clocks: list[SeatClock]
    faults: list[Fault]
    taken_over: list[TakenOver]


class TrucoView(ViewBase):
    kind: Literal["truco"]
    rules: TrucoRules
    observation: TrucoObservation | None
    turn: TrucoTurn | None


class ToepenExchange(TypedDict):
    seat: int
    cards: list[str] | None
    challenger: int | None
    loser: int | None


class ToepenPlay(TypedDict):
    seat: int
    card: str


class ToepenTrick(TypedDict):
    leader: int
    cards: list[ToepenPlay]
    winner: int


class ToepenSaid(TypedDict):
    seat: int
    said: Literal["knock", "stay", "fold"]
    value: int
    trick: int
    on_table: int


class ToepenObservation(TypedDict):
    game: str
    seat: int | None
    phase: Literal["dealer", "deal", "exchange", "challenge", "poverty", "play", "knock", "over"]
    awaiting: list[int]
    to_answer: list[int]
    turn: int | None
    hand_number: int
    dealer: int | None
    leader: int | None
    value: int
    knocker: int | None
    lives: list[int]
    lost: list[int]
    in_game: list[bool]
    in_hand: list[bool]
    out_in_hand: list[int | None]
    hand: list[str]
    held: list[int]
    stock: int
    exchanges: list[int]
    announcements: list[Literal["none", "whistle", "stand"] | None]
    laid_away: list[ToepenExchange]
    pelt: list[int]
    trick: list[ToepenPlay]
    tricks: list[ToepenTrick]
    calls: list[ToepenSaid]
    hands_won: list[int]
    rubber: int
    drinks: list[int]


class ToepenSeatEvent(TypedDict):
    n: int
    type: Literal["dealer", "out"]
    seat: int


class ToepenHandEvent(TypedDict):
    n: int
    type: Literal["hand"]
    seat: int
    hand: int
    rubber: int
    value: int
    lives: list[int]


class ToepenCardsEvent(TypedDict):
    n: int
    type: Literal["dealt", "new_cards"]
    seat: int
    cards: list[str] | None
    count: int


class ToepenExchangeEvent(TypedDict):
    n: int
    type: Literal["exchange"]
    seat: int
    cards: list[str] | None


class ToepenTrustEvent(TypedDict):
    n: int
    type: Literal["trust"]
    seat: int
    exchanger: int


class ToepenChallengeEvent(TypedDict):
    n: int
    type: Literal["challenge"]
    seat: int
    exchanger: int
    cards: list[str]
    loser: int


class ToepenKeepEvent(TypedDict):
    n: int
    type: Literal["keep"]
    seat: int
    announcement: Literal["none", "whistle", "stand"]


class ToepenPovertyEvent(TypedDict):
    n: int
    type: Literal["poverty"]
    seat: int
    pelt: list[int]
    value: int


class ToepenPlayEvent(TypedDict):
    n: int
    type: Literal["play"]
    seat: int
    card: str


class ToepenStakeEvent(TypedDict):
    n: int
    type: Literal["knock", "stay"]
    seat: int
    value: int


class ToepenFoldEvent(TypedDict):
    n: int
    type: Literal["fold"]
    seat: int
    lives: int


class ToepenTrickEvent(TypedDict):
    n: int
    type: Literal["trick"]
    seat: int
    trick: int


class ToepenResultEvent(TypedDict):
    n: int
    type: Literal["result"]
    seat: int | None
    value: int
    lost: list[int]
    lives: list[int]


class ToepenDrinksEvent(TypedDict):
    n: int
    type: Literal["drinks"]
    seat: int
    rubber: int
    drinks: int


class ToepenOverEvent(TypedDict):
    n: int
    type: Literal["over"]
    seat: int
    places: list[int]
    scores: list[int]


class ToepenTurn(TurnBase):
    kind: Literal["toepen"]
    rules: ToepenRules
    legal_actions: list[str]
    default_action: str | None
    observation: ToepenObservation
    events: list[
        ToepenSeatEvent
        | ToepenHandEvent
        | ToepenCardsEvent
        | ToepenExchangeEvent
        | ToepenTrustEvent
        | ToepenChallengeEvent
        | ToepenKeepEvent
        | ToepenPovertyEvent
        | ToepenPlayEvent
        | ToepenStakeEvent
        | ToepenFoldEvent
        | ToepenTrickEvent
        | ToepenResultEvent
        | ToepenDrinksEvent
        | ToepenOverEvent
    ]


class ToepenView(ViewBase):
    kind: Literal["toepen"]
    rules: ToepenRules
    observation: ToepenObservation | None
    turn: ToepenTurn | None


View: TypeAlias = "TrucoView | ToepenView"


class JoinedTruco(TrucoGame):
    seat: int


class JoinedToepen(ToepenGame):
    seat: int


Joined: TypeAlias = "JoinedTruco | JoinedToepen"


class Event(TypedDict):
    n: int
    type: str


class EventPage(TypedDict):
    events: list[Event]
    next: int
    over: bool


Turn: TypeAlias = "TrucoTurn | ToepenTurn"


class TurnPage(TypedDict):
    turns: list[Turn]
    cursor: str


class Answer(TypedDict):
    turn: str
    action: str
    note: NotRequired[str]


class Accepted(TypedDict):
    turn: str
    status: Literal["accepted"]
    action: str
    after: int
    version: int
    repeated: bool


class Stale(TypedDict):
    turn: str | None
    message: str
    status: Literal["stale_turn"]
    reason: Literal["clock", "superseded"]
    version: int
    fresh: Turn | None


class AlreadyAnswered(TypedDict):
    turn: str | None
    message: str
    status: Literal["turn_already_answered"]


class Illegal(TypedDict):
    turn: str | None
    message: str
    faults: NotRequired[int]
    forfeited: NotRequired[bool]
    status: Literal["illegal_action"]
    legal_actions: list[str]


class Malformed(TypedDict):
    turn: str | None
    message: str
    faults: NotRequired[int]
    forfeited: NotRequired[bool]
    status: Literal["malformed"]


class Unknown(TypedDict):
    turn: str | None
    message: str
    status: Literal["unknown_turn"]


Result: TypeAlias = "Accepted | Stale | AlreadyAnswered | Illegal | Malformed | Unknown"


class Exchange(TypedDict):
    turns: list[Turn]
    cursor: str
    results: list[Result]


class PresenceEnded(TypedDict):
    games: list[str]
    tournaments: bool


class Place(TypedDict):
    name: str
    version: str
    place: int


class Progress(TypedDict):
    done: int
    planned: int
    games: int
    games_per_s: float
    left_s: float | None
    round: int
    state: Literal["announced", "entry", "running", "finished", "cancelled"]


class Entry(TypedDict):
    bot: str
    version: str
    owner: str | None
    co_owners: list[str]
    house: bool
    baseline: bool
    nonce: str
    status: Literal["entered", "qualifying", "qualified", "failed", "withdrawn"]
    reason: str | None


class Edit(TypedDict):
    at_ms: int
    by: str
    field: str
    old: object
    new: object


class Void(TypedDict):
    group: str
    attempt: int
    reason: str
    at_ms: int


class TournamentSummaryBase(TypedDict):
    id: str
    name: str
    description: str
    link: str
    format: Literal["round_robin", "swiss", "knockout", "open", "rating"]
    groups: int
    rounds: int | None
    partners: Literal["same", "mixed"]
    max_entries: int
    per_owner: int
    who: Literal["anyone", "house", "invited"]
    division: Literal["sealed", "open", "models"]
    invited: list[str]
    baseline: list[str]
    auto_enter: bool
    rated: bool
    games_per_bot: int
    max_repeats: int
    tie_breaks: list[str]
    hidden: bool
    opens_ms: int
    locks_ms: int
    ends_ms: int | None
    state: Literal["announced", "entry", "running", "finished", "cancelled"]
    clock: ShownClock
    preset: str | None
    organisers: list[str]
    created_by: str
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    reason: str | None
    commitment: str
    seed: str | None
    entries_hash: str | None
    places: list[Place] | None
    records_hash: str | None
    progress: Progress
    version: int


class TournamentBase(TournamentSummaryBase):
    entries: list[Entry]
    edits: list[Edit]
    voids: list[Void]


class TrucoTournament(TournamentBase):
    kind: Literal["truco"]
    rules: TrucoRules


class ToepenTournament(TournamentBase):
    kind: Literal["toepen"]
    rules: ToepenRules


Tournament: TypeAlias = "TrucoTournament | ToepenTournament"


class PlannedBudget(TypedDict):
    groups: int
    left: int
    fits: bool


class DryRun(TypedDict):
    entrants: int
    groups: int
    games: int
    seconds: float
    measured: bool
    played_by: Literal["house", "uploaded", "live"]
    text: str
    budget: PlannedBudget | None


class TrucoTournamentSummary(TournamentSummaryBase):
    kind: Literal["truco"]
    rules: TrucoRules


class ToepenTournamentSummary(TournamentSummaryBase):
    kind: Literal["toepen"]
    rules: ToepenRules


TournamentSummary: TypeAlias = "TrucoTournamentSummary | ToepenTournamentSummary"


class TournamentPage(TypedDict):
    tournaments: list[TournamentSummary]
    cursor: str | None


class Standing(TypedDict):
    place: int | None
    name: str
    version: str
    groups: int
    byes: int
    points: float
    score: float
    half_width: float | None
    won: int
    games: int
    faults: int
    forfeits: int
    used_ms: int | None
    adjusted: float | None
    adjusted_half_width: float | None
    tie_breaks: dict[str, float]
    baseline: bool


class Meeting(TypedDict):
    points: float
    groups: int
    share: float | None
    low: float | None
    high: float | None


class Standings(TypedDict):
    state: Literal["queued", "live", "final"]
    computed_ms: int | None
    groups: int
    records_hash: str
    tie_breaks: list[str]
    rows: list[Standing]
    crosstable: list[list[Meeting | None]]
    cursor: str | None


class Annulment(TypedDict):
    group: str
    reason: str
    by: str
    at_ms: int


class EventGroup(TypedDict):
    id: str
    round: int
    pairing: int
    players: list[str]
    state: Literal["planned", "done", "void"]
    mirrored: bool
    commitment: str
    voids: int
    score: dict[str, float] | None
    forfeits: list[str]
    games: list[str]
    annulled: Annulment | None


class Link(TypedDict):
    id: str
    expires_ms: int
    created_by: str
    created_ms: int
    accepted: int


class Guests(TypedDict):
    owners: list[str]
    links: list[Link]


class CreatedLink(TypedDict):
    id: str
    expires_ms: int
    code: str
    url: str


class Subscription(TypedDict):
    id: str
    url: str
    created_ms: int
    state: Literal["active", "ended", "failed"]
    failures: int
    error: str | None


class CreatedSubscription(Subscription):
    secret: str


class Estimate(TypedDict):
    value: float
    low: float
    high: float


class Comparison(TypedDict):
    id: str
    bot: str
    owner: str
    kind: Literal["truco", "toepen"]
    preset: str | None
    new: str
    old: str
    elo0: float
    elo1: float
    alpha: float
    beta: float
    most: int
    state: Literal["waiting", "running", "finished", "cancelled"]
    reason: str | None
    decision: Literal["elo0", "elo1"] | None
    llr: float
    bounds: list[float]
    groups: int
    void: int
    margin: Estimate | None
    elo: Estimate | None
    played: int
    games: int
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    commitment: str
    seed: str | None
    version: int


class Series(TypedDict):
    id: str
    name: str
    tournaments: list[str]
    points: list[float]
    best: int | None
    by: Literal["owner", "bot"]
    tie_breaks: list[str]
    owner: str
    created_ms: int
    done: bool


class SeriesRules(TypedDict):
    points: list[float]
    best: int | None
    by: Literal["owner", "bot"]
    tie_breaks: list[str]


class FinalPlace(TypedDict):
    place: int
    name: str
    version: str
    owner: str | None


class SeriesInput(TypedDict):
    id: str
    name: str
    records_hash: str
    rows: list[FinalPlace]


class SeriesRow(TypedDict):
    place: int
    name: str
    points: float
    results: list[float | None]
    counted: list[bool]
    tie_breaks: dict[str, float]


class SeriesTable(TypedDict):
    rules: SeriesRules
    inputs: list[SeriesInput]
    inputs_hash: str
    rows: list[SeriesRow]


class TemplateBase(TypedDict):
    name: str
    description: NotRequired[str]
    link: NotRequired[str]
    format: Literal["round_robin", "swiss", "knockout", "open", "rating"]
    groups: NotRequired[int]
    rounds: NotRequired[int | None]
    max_entries: NotRequired[int]
    per_owner: NotRequired[int]
    who: NotRequired[Literal["anyone", "house", "invited"]]
    division: NotRequired[Literal["sealed", "open", "models"]]
    invited: NotRequired[list[str]]
    baseline: NotRequired[list[str]]
    auto_enter: NotRequired[bool]
    rated: NotRequired[bool]
    games_per_bot: NotRequired[int]
    max_repeats: NotRequired[int]
    tie_breaks: NotRequired[
        list[Literal["head_to_head", "sonneborn_berger", "buchholz", "won", "fewest_faults"]]
    ]
    entry_s: NotRequired[int]
    play_s: NotRequired[int]
    house: NotRequired[list[str]]
    clock: NotRequired[Clock]


class TrucoTemplate(TemplateBase):
    kind: Literal["truco"]
    rules: NotRequired[TrucoRules]
    preset: NotRequired[
        Literal["base@1", "no-cut@1", "paulista@1", "paulista-2@1", "mineiro@1", "mineiro-2@1"]
    ]
    partners: NotRequired[Literal["same", "mixed"]]


class ToepenTemplate(TemplateBase):
    kind: Literal["toepen"]
    rules: NotRequired[ToepenRules]
    preset: NotRequired[Literal["duel@1", "table-4@1"]]


Template: TypeAlias = "TrucoTemplate | ToepenTemplate"


class Skipped(TypedDict):
    at_ms: int
    reason: str


class Schedule(TypedDict):
    id: str
    cron: str | None
    at_ms: int | None
    until_groups: int | None
    tournament: Template
    waits_for: Literal["time", "bots", "tournament"] | None
    current: str | None
    next_ms: int | None
    last_ms: int | None
    enabled: bool
    created_by: str
    own: bool
    skipped: Skipped | None


class BoardSummary(TypedDict):
    kind: Literal["truco", "toepen"]
    preset: str
    division: Literal["sealed", "open", "models"]
    groups: int
    records: int
    records_hash: str
    published_ms: int | None


class Anchor(TypedDict):
    name: str
    rating: float
    played: bool


class Rating(TypedDict):
    version: str
    rating: float
    low: float
    high: float
    provisional: bool
    groups: int
    games: int
    faults: int
    forfeits: int
    last_seen_ms: int | None
    illegal: NotRequired[int]
    late: NotRequired[int]
    adjusted: float | None
    adjusted_low: float | None
    adjusted_high: float | None


class BoardRow(Rating):
    rank: int | None
    name: str
    best_version: str
    retired: bool
    versions_tried: int
    model: NotRequired[str]
    game_cost: NotRequired[float | None]
    versions: list[Rating]


class Title(TypedDict):
    holders: list[str]
    value: float
    measure: str


class Board(BoardSummary):
    method: int
    luck_table: str | None
    anchor: Anchor
    rows: list[BoardRow]
    cursor: str | None
    titles: dict[str, Title]


class HistoryPoint(TypedDict):
    day: str
    name: str
    version: str
    rating: float
    low: float
    high: float
    provisional: bool


class History(TypedDict):
    kind: Literal["truco", "toepen"]
    preset: str
    division: Literal["sealed", "open", "models"]
    points: list[HistoryPoint]
    cursor: str | None


class MatchedBot(TypedDict):
    rank: int
    name: str
    version: str
    rating: float
    nash: int
    mix: float
    in_mix: float
    worst: str | None


class Pair(TypedDict):
    bot: str
    opponent: str
    groups: int
    share: float | None
    low: float | None
    high: float | None
    predicted: float
    fits: bool | None


class Fit(TypedDict):
    pairs: int
    met: int
    marked: int
    error: float
    explained: float | None


class Matchups(TypedDict):
    kind: Literal["truco", "toepen"]
    preset: str
    division: Literal["sealed", "open", "models"]
    method: int
    records_hash: str
    computed_ms: int
    bots: list[MatchedBot]
    pairs: list[Pair]
    fit: Fit


class Figure(TypedDict):
    name: str
    title: str
    of: str
    meaning: str


class Count(TypedDict):
    count: int
    of: int
    share: float | None


class BotStyle(TypedDict):
    name: str
    games: int
    counts: dict[str, Count]


class Styles(TypedDict):
    kind: Literal["truco", "toepen"]
    preset: str
    division: Literal["sealed", "open", "models"]
    figures: list[Figure]
    bots: list[BotStyle]
    cursor: str | None


class ChangedInfo(TypedDict):
    annulled: str


class RecordChange(TypedDict):
    group: str
    info: ChangedInfo
    at_ms: int


class AuditEntry(TypedDict):
    id: str
    at_ms: int
    admin: str
    action: str
    subject: str
    detail: str


class Gainer(TypedDict):
    name: str
    version: str
    owner: str | None


class Helper(TypedDict):
    name: str
    version: str
    owner: str | None
    groups: int
    score: float
    fold_rate: float | None
    fold_rate_elsewhere: float | None
    forfeits: int


class Suspicion(TypedDict):
    what: Literal["dumping", "signalling"]
    kind: Literal["truco", "toepen"]
    division: Literal["sealed", "open", "models"]
    tournament: str | None
    gainer: Gainer
    helpers: list[Helper]
    groups: int
    score: float
    expected: float
    chance: float
    group_ids: list[str]


class CopiedVersion(TypedDict):
    name: str
    version: str
    owner: str
    created_ms: int


class Copies(TypedDict):
    digest: str
    versions: list[CopiedVersion]


class SuspicionList(TypedDict):
    suspicions: list[Suspicion]
    copies: list[Copies]


class SuspendedBot(BotSummary):
    suspended: Suspension


class OwnerSuspension(TypedDict):
    reason: str
    by: str
    at_ms: int


class SuspendedOwner(TypedDict):
    name: str
    created_ms: int
    admin: bool
    suspended: OwnerSuspension


class HiddenText(TypedDict):
    of: Literal["owner", "bot", "tournament"]
    id: str
    text: Literal["name", "description"]
    shown: str
    reason: str
    by: str
    at_ms: int


class Health(TypedDict):
    status: Literal["ok"]


class Readiness(TypedDict):
    status: Literal["ok", "degraded"]
    problems: NotRequired[list[str]]


GameRecordHex256: TypeAlias = "str"


GameRecordId: TypeAlias = "str"


GameRecordLabel: TypeAlias = "str"


GameRecordSeat: TypeAlias = "int"


GameRecordCount: TypeAlias = "int"


class GameRecordCanonicalPlayers(TypedDict):
    name: GameRecordLabel
    version: GameRecordLabel


class GameRecordCanonicalGroup(TypedDict):
    id: GameRecordId
    attempt: GameRecordCount
    index: GameRecordCount
    size: int
    mirrored: bool


class GameRecordCanonicalFaults(TypedDict):
    seat: GameRecordSeat
    type: Literal["late", "illegal", "malformed", "unreachable", "crashed"]
    after: GameRecordCount


class GameRecordCanonicalResigned(TypedDict):
    seat: GameRecordSeat
    after: GameRecordCount


class GameRecordCanonicalOutcome(TypedDict):
    places: list[int]
    scores: list[int]
    forfeits: list[GameRecordSeat]


class GameRecordCanonical(TypedDict):
    v: Literal[1]
    game: GameRecordId
    kind: str
    rules_version: int
    rules: dict[str, str | int | bool]
    players: list[GameRecordCanonicalPlayers]
    seed: GameRecordHex256
    nonces: list[str]
    commitment: GameRecordHex256
    group: GameRecordCanonicalGroup
    actions: list[list[object]]
    faults: list[GameRecordCanonicalFaults]
    resigned: list[GameRecordCanonicalResigned]
    outcome: GameRecordCanonicalOutcome


class GameRecordInfo(TypedDict):
    fault_details: NotRequired[list[str]]
    people: NotRequired[object]


class GameRecord(TypedDict):
    canonical: GameRecordCanonical
    hash: GameRecordHex256
    info: GameRecordInfo


class RegisterBotFields(TypedDict, total=False):
    version: str
    description: str
    tournaments: bool
    model: str
    game_cost: float
    transport: Literal["remote", "webhook", "uploaded"]
    url: str
    rights: bool
    secret: str
    source: str | bytes
    component: str | bytes


class AddVersionFields(TypedDict, total=False):
    transport: Literal["remote", "webhook", "uploaded"]
    url: str
    rights: bool
    secret: str
    source: str | bytes
    component: str | bytes

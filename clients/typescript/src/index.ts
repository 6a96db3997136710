export type { components, operations, paths } from "./api.js";
export { ApiError, type Client, type Problem, connect, value } from "./client.js";
export {
  type Bot,
  type PlayOptions,
  type SeatBot,
  type Schemas,
  type ToepenTurn,
  type TrucoTurn,
  type Turn,
  Player,
  play,
} from "./player.js";

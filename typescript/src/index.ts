// The client of Talaria: run the commands, scripts and file edits of an agent.

export {
  Talaria,
  Settings,
  type Applied,
  type ConnectOptions,
  type TalariaOptions,
} from './talaria.js';
export { Place, Sandbox, Task, type CodeOptions, type ToolOptions } from './place.js';
export { Result } from './result.js';
export { CodeResult } from './code.js';
export { CommandStream, type Chunk } from './exec.js';
export {
  Process,
  type FollowOptions,
  type ProcessOutput,
  type ProcessRead,
  type ReadOptions,
} from './process.js';
export {
  Files,
  type EditResult,
  type FileOptions,
  type Match,
  type SearchOptions,
  type SearchResult,
  type WriteOptions,
} from './files.js';
export type { Transfer } from './transfer.js';
export { Tools, type CallOptions } from './tools.js';
export type { AgentTool, AgentTools, ToolContext, ToolFunction } from './toolbox.js';
export type {
  AnthropicAnswer,
  AnthropicTool,
  OpenAIAnswer,
  OpenAITool,
  ResponsesAnswer,
  ResponsesTool,
  ToolSchema,
} from './core/vendors.js';
export {
  Approval,
  Approvals,
  Sudo,
  type Answer,
  type ApproveOptions,
  type SudoRequest,
  type Verdict,
} from './approvals.js';
export type { Event, EventOptions } from './events.js';
export { Stream } from './subscription.js';
export type { Hello } from './channel.js';
export type { Json, JsonObject, Params } from './core/json.js';
export type { ProgramOptions } from './link/program.js';
export type { GatewayOptions } from './link/websocket.js';
export * from './errors.js';
export type * from './types.js';
export { VERSION } from './version.js';

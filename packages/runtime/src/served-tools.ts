// Listing the tools of MCP servers, for programs that use nothing else of the runtime, such as the store.

export {
  type ListServedOptions,
  listServedTools,
  type ServedListing,
} from './connectors/list-served-tools.ts';
export type { Connecting } from './network/connector.ts';
export { defaultSystem } from './platform/default-system.ts';
export { RuntimeError } from './platform/runtime-error.ts';

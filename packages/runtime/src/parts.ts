// The parts of `openRuntime`, for clients that compose them differently. Each takes its dependencies as arguments. Types of results
// and records are in the entry `@svc/runtime`.

import './platform/require-node.ts';

export {
  makePrivateFolder,
  newPrivateFile,
  openPrivateFolder,
  openPrivateSqlite,
  PrivateFolderError,
} from '@svc/bundle/private-files';
export { storeAddress } from '@svc/contracts/store-address';
export { type AccountsDeps, openAccounts } from './accounts/accounts.ts';
export type { Guard } from './accounts/requests.ts';
export type { TokenSource } from './calls/authorised-fetch.ts';
export { type CallDeps, type Calls, createCalls } from './calls/calls.ts';
export {
  type Connection,
  type ConnectionOptions,
  connectToServer,
  MCP_APPS,
  PAGE_TYPE,
  type ServerConnection,
} from './calls/connection.ts';
export { pageOfTool } from './calls/known-tools.ts';
export { mayUseAll, refusalOfApp, refusalsFor, usableTools } from './calls/may-use.ts';
export { createSecrets, type Secrets } from './calls/secrets.ts';
export { preApprovalKey } from './cards/approval.ts';
export { connectCard } from './cards/ask-to-connect.ts';
export { UserAnswer } from './cards/user-answer.ts';
export { connectorApp } from './connectors/connector-app.ts';
export { probeConnector } from './connectors/probe-connector.ts';
export { type ServerSurvey, type SurveyedPage, surveyServer } from './connectors/survey-server.ts';
export { type DeveloperDeps, openDeveloperFolder } from './developer/developer-folder.ts';
export { createEvents } from './events/events.ts';
export { type AppStorage, createAppStorage } from './files/app-storage.ts';
export { accepts, type FileType, fileTypeOf, typeOfFile } from './files/file-type.ts';
export { nameFor, safeName } from './files/safe-name.ts';
export { saveToProject } from './files/save-to-project.ts';
export { consentCard } from './install/consent-preview.ts';
export { createInstaller, type InstallerDeps } from './install/installer.ts';
export { checkUpdates, type UpdateDeps } from './install/update-apps.ts';
export { requirementsOf } from './library/client.ts';
export { enforcedFootprint } from './library/installed-app.ts';
export { createLibrary, type LibraryDeps } from './library/library.ts';
export { inTransaction } from './library/library-database.ts';
export { installIdOf, type LibraryStorage, openLibraryStorage } from './library/library-storage.ts';
export { createPrepare } from './media/prepare.ts';
export { mayBeModelNameOf, modelName } from './models/model-names.ts';
export {
  type DescribeFile,
  describedBy,
  serverArguments,
  shortDescription,
  toolSchema,
} from './models/model-tools.ts';
export {
  type Bounds,
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from './network/guarded-fetch.ts';
export {
  LoopbackError,
  type LoopbackServers,
  listenAt,
  listenOnLoopback,
} from './network/listen-on-loopback.ts';
export { socketFetch } from './network/socket-fetch.ts';
export {
  BRIDGE_LIMITS,
  ERROR_CODES,
  type FileHandle,
  FRAME_ENDED,
  FRAME_READY,
  type InitializeResult,
  PORT_GRANT,
  PORT_REQUEST,
  PROTOCOL_VERSION,
  type ToolContent,
  type ToolResult,
} from './panels/bridge/messages.ts';
export { listenForPanels, type PanelListener } from './panels/listen.ts';
export { createPanels, type Panels, type PanelsDeps } from './panels/panels.ts';
export type { PanelAccount, PanelAccounts, PanelCall, PanelClient, PrepareMedia } from './panels/ports.ts';
export { createPreviews } from './panels/previews.ts';
export { openPrivateDatabase } from './platform/private-database.ts';
export { tryLock, withLock } from './platform/process-lock.ts';
export { orAborted, withinTime } from './platform/within-time.ts';
export { writeDurable } from './platform/write-durable.ts';
export { removeApp } from './remove-app.ts';
export {
  createRevocationWatch,
  REVOCATION_POLL_MS,
  type RevocationWatchDeps,
} from './revocations/revocation-watch.ts';
export { storeFetch } from './store/store-fetch.ts';
export { createStoreKeys, type StoreKeys, type StoreKeysDeps } from './store/store-keys.ts';
export { createStoreReader, type StoreReaderDeps } from './store/store-reader.ts';
export { type ClientSecrets, openClientSecrets } from './vault/vault.ts';

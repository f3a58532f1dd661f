// The API for chat clients. The parts of `openRuntime` are in the entry `@svc/runtime/parts`.

import './platform/require-node.ts';

export type { ServedChange } from '@svc/permissions';
export type { Accounts } from './accounts/accounts.ts';
export type { TokenUse } from './accounts/activity.ts';
export type { ConnectOptions } from './accounts/connect.ts';
export type { AccountStatus } from './accounts/grant.ts';
export type { Disconnected } from './accounts/grants.ts';
export type { ClientIdentity, RegisteredClient } from './accounts/oauth-client.ts';
export type { Revoked } from './accounts/revocations.ts';
export type { OpenBrowser, SignInOwner, SignInPage } from './accounts/sign-ins.ts';
export type { BuiltInApp } from './built-in/built-in-app.ts';
export { createMediaApp } from './built-in/media-app.ts';
export type { CallProgress, CallRequest } from './calls/call-tool.ts';
export type { ToolsNow } from './calls/calls.ts';
export type { CompletionOf, ResourceLists, Suggestions } from './calls/content/contents.ts';
export type {
  AppPrompt,
  AppResource,
  AppResourceTemplate,
  OfferedList,
  PromptArgument,
} from './calls/content/offered-content.ts';
export type { ContentPart, FilledPrompt, PromptMessage } from './calls/content/read-content.ts';
export type { AppTool, ToolHints } from './calls/known-tools.ts';
export type { ToolCaller } from './calls/may-use.ts';
export type { WaitingChanges } from './calls/pins/pins.ts';
export type { CallResult, Given, ResultPart } from './calls/read-result.ts';
export type { ModelRequest, ServerServices } from './calls/server-requests.ts';
export { askToConnect, type SignInSource } from './cards/ask-to-connect.ts';
export type {
  Answer,
  AppPictures,
  ApprovalCard,
  Ask,
  Card,
  CardApp,
  CardContents,
  CardFile,
  ConnectCard,
  ConsentCard,
  FieldValue,
  LocalAccess,
  LocalConnectorCard,
  PicturePair,
  QuestionCard,
  QuestionField,
  SamplingCard,
  SaveCard,
} from './cards/card.ts';
export type { LocalConnectorRequest } from './connectors/add-local-connector.ts';
export type { DeveloperFolder, DeveloperState } from './developer/developer-folder.ts';
export type { Events, RuntimeEvent } from './events/events.ts';
export type { KeptFile, StoredFile } from './files/app-storage.ts';
export type { FileCaution, HandedFile } from './files/handed-file.ts';
export type { Save } from './files/save-to-project.ts';
export { consentCard, type InstallSheet } from './install/consent-preview.ts';
export type { StaleHead } from './install/heads.ts';
export type { Installer } from './install/installer.ts';
export type { UpdateOutcome, UpdateWait, WaitingUpdate } from './install/update-apps.ts';
export type { AppPicture, RuntimePictures } from './library/app-pictures.ts';
export type { ConnectorChoices, FilePermission } from './library/choice-tables.ts';
export type { Client, Presence, Requirement } from './library/client.ts';
export type { AppSource, AppYank, InstalledApp } from './library/installed-app.ts';
export type { DeveloperApp, Library } from './library/library.ts';
export type { Problem as ManagedProblem } from './managed/carry-out.ts';
export type { ManagedOptions } from './managed/managed-options.ts';
export type { Managed } from './managed/open-managed.ts';
export {
  type Rules,
  refusalOfAgent,
  refusalOfExport,
  refusalOfModel,
} from './managed/rules.ts';
export type { Connecting } from './network/connector.ts';
export type { Network } from './network/network.ts';
export { openRuntime, type RuntimeOptions } from './open-runtime.ts';
export type { CloseReason, HostContext } from './panels/bridge/messages.ts';
export type { ForeignPage, PageRequest } from './panels/connector-page.ts';
export type {
  ContextChanges,
  DisplayMode,
  OpenPanel,
  PanelFrame,
  PanelView,
} from './panels/open-panel.ts';
export type { Shown } from './panels/panels.ts';
export type { PanelFile, PanelTokens, PickFiles } from './panels/ports.ts';
export type { Preview, Previews } from './panels/previews.ts';
export { defaultSystem } from './platform/default-system.ts';
export {
  asRefusal,
  type ConnectFailedDetail,
  connectFailure,
  type DetailOf,
  isRefusal,
  type RefusalCode,
  type RefusalDetails,
  RuntimeError,
  type SignInCause,
} from './platform/runtime-error.ts';
export type { System } from './platform/system.ts';
export type { Removed } from './remove-app.ts';
export type { RevocationReport, RevocationWatch } from './revocations/revocation-watch.ts';
export type {
  AppOrId,
  KeptFiles,
  PanelRequest,
  Runtime,
  RuntimeAccounts,
  RuntimeConnectors,
  SaveRequest,
} from './runtime.ts';
export type { ContentOf, RuntimePrompts, RuntimeResources } from './runtime-contents.ts';
export type { AutoUpdate } from './runtime-options.ts';
export { sharedStorage } from './storage/shared-storage.ts';
export type {
  OpenSharedStore,
  SetChange,
  SharedStore,
  StoredBlob,
  StoredRecord,
} from './storage/shared-store.ts';
export type { OpenStorage, RuntimeStorage } from './storage/storage.ts';
export type { Download, StoreReader, VersionRef } from './store/store-reader.ts';
export type { VaultKey } from './vault/vault-key.ts';

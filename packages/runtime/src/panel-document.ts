// A panel as one document, for programs that use nothing else of the runtime, such as the store.

export { oneDocument, type PanelFiles } from './panels/document/panel-document.ts';
export { closedPolicy } from './panels/policy.ts';

// The protocol of both ends of the bridge: JSON-RPC 2.0, with the names of MCP Apps where they exist. No imports: the panel's end
// and the page's end run in a browser.

/** Revision of MCP Apps that defines these `ui/` messages. */
export const PROTOCOL_VERSION = '2026-01-26';

/** The message with which a page requests the port from its parent window. */
export const PORT_REQUEST = 'ui/notifications/port-request';

/** The message with which the page gets the port, once. */
export const PORT_GRANT = 'ui/notifications/port';

/** The message of the frame to the client's page around it. */
export const FRAME_READY = 'ui/notifications/frame-ready';
export const FRAME_ENDED = 'ui/notifications/frame-ended';
/** Beside a message of the panel, if the user has just pressed something in it. */
export const FRAME_PRESSED = 'ui/notifications/frame-pressed';

/** Limits of a panel's messages. A panel that exceeds the first or the last of these is closed. */
export const BRIDGE_LIMITS = {
  /** Characters of one message. */
  messageChars: 65_536,
  /** Maximum number of pending requests. */
  requestsInFlight: 8,
  /** Rate limit: messages in a burst, and messages per second. */
  messages: { burst: 200, perSecond: 50 },
} as const;

/** Why a panel was closed. */
export type CloseReason =
  /** The client or the user closed it. */
  | 'closed'
  /** The client's page removed it. */
  | 'gone'
  /** The panel navigated, or tried to. */
  | 'navigated'
  | 'message-too-large'
  | 'flooded'
  /** The panel took the keyboard from a field of the client's page, more than once. */
  | 'took-focus'
  | 'yanked'
  | 'switched-off'
  | 'updated'
  | 'removed';

/** Where and how a panel is shown. */
export type HostContext = {
  theme: 'light' | 'dark';
  /** BCP 47. */
  locale: string;
  app: { id: string; name: string; version: string };
  panel: {
    id: string;
    title: string;
    /** The selected tab; null when the panel declares none. */
    view: string | null;
    views: readonly { id: string; label: string }[];
  };
  /** The values of the settings that the manifest declares, by id: those of the user, or else the defaults. */
  settings: Readonly<Record<string, string | number | boolean>>;
};

/** The response to `ui/initialize`. A capability that is present may be used. */
export type InitializeResult = {
  protocolVersion: string;
  hostInfo: { name: string; version: string };
  hostCapabilities: {
    /** `tokens`: whether `accounts/token` is available in this browser. */
    accounts: { tokens: boolean };
    /** `tools/call` is available. */
    serverTools?: Record<string, never>;
    files?: Record<string, never>;
    media?: Record<string, never>;
  };
  hostContext: HostContext;
};

/** A content block of a tool result, as in MCP; a returned file is at `uri`, as the file of a `FileHandle` is at `url`. */
export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string; size: number };

/** The response to `tools/call`. */
export type ToolResult = {
  content: ToolContent[];
  structuredContent?: Readonly<Record<string, unknown>>;
  /** Whether the tool reports a failure. */
  isError: boolean;
};

/** A file, as a panel sees it; its bytes are at `url` until the panel releases it or is closed. */
export type FileHandle = { id: string; name: string; type: string; size: number; url: string };

/** The codes of JSON-RPC, and one for all expected errors, which `data.code` tells apart. */
export const ERROR_CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
} as const;

// What both ends of the bridge speak: JSON-RPC 2.0 with the names of MCP Apps where it has one. No imports: the panel's end
// and the page's end run in a browser.

/** Revision of MCP Apps whose `ui/` messages these are. */
export const PROTOCOL_VERSION = '2026-01-26';

/** By which a page asks the window around it for its port. */
export const PORT_REQUEST = 'ui/notifications/port-request';

/** With which it gets the port, once. */
export const PORT_GRANT = 'ui/notifications/port';

/** What the frame says to the client's page around it. */
export const FRAME_READY = 'ui/notifications/frame-ready';
export const FRAME_ENDED = 'ui/notifications/frame-ended';

/** What a panel may send. A panel that goes past the first or the last of these is closed. */
export const BRIDGE_LIMITS = {
  /** Characters of one message. */
  messageChars: 65_536,
  /** Requests that wait for their answer at the same time. */
  requestsInFlight: 8,
  /** Messages: so many at once, and so many a second after that. */
  messages: { burst: 200, perSecond: 50 },
} as const;

/** Why a panel was closed. */
export type CloseReason =
  /** The client or the person closed it. */
  | 'closed'
  /** The client's page took it away. */
  | 'gone'
  /** It left its page, or tried to. */
  | 'navigated'
  | 'message-too-large'
  | 'flooded'
  | 'withdrawn'
  | 'switched-off'
  | 'updated'
  | 'removed';

/** What a panel knows of where it is shown. */
export type HostContext = {
  theme: 'light' | 'dark';
  /** BCP 47. */
  locale: string;
  app: { id: string; name: string; version: string };
  panel: {
    id: string;
    title: string;
    /** The tab that is chosen; null when the panel declares none. */
    view: string | null;
    views: readonly { id: string; label: string }[];
  };
  /** What the person set of the settings that the manifest declares, by id; the others' defaults where they set nothing. */
  settings: Readonly<Record<string, string | number | boolean>>;
};

/** Answer to `ui/initialize`. A capability that is there may be used. */
export type InitializeResult = {
  protocolVersion: string;
  hostInfo: { name: string; version: string };
  hostCapabilities: {
    /** `tokens`: whether `accounts/token` is answered in this browser. */
    accounts: { tokens: boolean };
    /** `tools/call` is answered. */
    serverTools?: Record<string, never>;
    files?: Record<string, never>;
    media?: Record<string, never>;
  };
  hostContext: HostContext;
};

/** A piece of what a tool answered, as MCP has it; a file that it returned is at `uri`, as that of a `FileHandle` is at `url`. */
export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string; size: number };

/** Answer to `tools/call`. */
export type ToolResult = {
  content: ToolContent[];
  structuredContent?: Readonly<Record<string, unknown>>;
  /** Whether the tool says that it failed. */
  isError: boolean;
};

/** A file as a panel sees it; its bytes are at `url` until the panel releases it, or is closed. */
export type FileHandle = { id: string; name: string; type: string; size: number; url: string };

/** JSON-RPC's own codes, and one for every expected "no"; which it is says `data.code`. */
export const ERROR_CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
} as const;

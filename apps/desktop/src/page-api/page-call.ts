import type { System } from '@svc/runtime';
import { z } from 'zod';
import type { Activity } from '../activity/open-activity.ts';
import type { Agents } from '../agents/agents.ts';
import type { Chats } from '../chat/chats.ts';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import type { KeptFiles } from '../files/kept-files.ts';
import type { OpenFolders } from '../folders/open-folders.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Links } from '../links/links.ts';
import type { FilePicker, PanelRegistry } from '../panels/panel-registry.ts';
import type { Session } from '../sessions/sessions.ts';
import type { StoreLog } from '../store-log.ts';
import type { StoreSession } from '../store-session.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { ClientView } from '../wire/views.ts';

/** The session of the caller. The signal is aborted when the page stops waiting. */
export type Caller = { session: Session; signal: AbortSignal };

/** A call of the page: its input schema and its handler. Nothing is sent as an empty object. */
export const call = <Input extends z.ZodType, Out>(
  input: Input,
  answer: (input: z.output<Input>, caller: Caller) => Out | Promise<Out>,
) => ({ input, answer });

/** What the desktop opens for the calls. */
export type OpenedParts = {
  desktop: Desktop;
  system: Pick<System, 'now'>;
  client: ClientView;
  storeSession: StoreSession;
  storeLog: StoreLog;
  events: PageEvents;
  activity: Activity;
  chats: Chats;
  uploads: Uploads;
  kept: KeptFiles;
  panels: PanelRegistry;
  picks: FilePicker;
  folders: OpenFolders;
  gateway: Gateway;
  /** Null if the desktop was opened without agents. */
  agents: Agents | null;
  /** Null if the desktop opens no links. */
  links: Links | null;
  /** Reads the script that draws diagrams. */
  diagramScript(): Promise<string>;
  newId(): string;
};

/** Dependencies of the calls. */
export type PageParts = OpenedParts & {
  /** Creates the key of a one-time link. */
  newKey(): string;
};

/** Schemas that calls share. Ids are only looked up and never used as paths, but bounded anyway. */
const id = (maxLength: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .max(maxLength);
export const AppId = id(128);
export const Id = id(200);
export const Nothing = z.strictObject({});
export const FolderPath = z.string().min(1).max(4_096);
export const OneFolder = z.strictObject({ folder: FolderPath });
/** An app in a project. */
export const AppIn = z.strictObject({ appId: AppId, project: Id });

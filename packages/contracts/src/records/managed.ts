import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { isStoreAddress } from '../store-address.ts';
import { KeyId, Signature, Timestamp } from './common.ts';
import { MAX_MIRRORS } from './mirror.ts';

const Id = z
  .string()
  .max(LIMITS.manifest.id)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, { error: 'must be the id of an app, such as com.example.notes' });

const IdPattern = z
  .string()
  .max(LIMITS.manifest.id)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*(\.\*)?$/, {
    error: 'must be the id of an app, or a prefix such as com.example.*',
  });

const HostPattern = z
  .string()
  .max(253)
  .regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/, {
    error: 'must be a host in lower case, such as mcp.example.com, or *.example.com for every host below it',
  });

const Address = z
  .string()
  .max(2_000)
  .refine((text) => URL.parse(text)?.protocol === 'https:', { error: 'must be an https:// URL' });

const Mirror = z.string().max(2_000).refine(isStoreAddress, {
  error: 'must be an https:// URL, without a user name, a query or a fragment',
});

const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of the day, such as 22:00' });

const many = <Item extends z.ZodType>(item: Item) => z.array(item).max(2_000);

/**
 * What a company sets for all its desktops. A setting that is absent leaves the choice to the user. Of several sets in force, each must
 * allow what is done.
 */
export const ManagedSettings = named.strictObject('ManagedSettings', {
  mirrors: z
    .array(Mirror)
    .max(MAX_MIRRORS)
    .optional()
    .describe(
      'Mirrors of the store: desktops and `svc` ask them first, in this order, and the store last. An empty list: none.',
    ),
  requiredApps: many(Id)
    .optional()
    .describe('Apps that desktops install by themselves and users cannot switch off or remove.'),
  allowedApps: many(IdPattern)
    .optional()
    .describe('The only apps, by id or as `com.example.*`, besides required and built-in ones.'),
  refusedApps: many(IdPattern)
    .optional()
    .describe('Apps, by id or as `com.example.*`, that no user may use.'),
  minimumVersions: z
    .record(
      Id,
      z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, { error: 'must be a version, as 1.2.3' }),
    )
    .optional()
    .describe('The oldest version of an app that works. Desktops update older ones at once.'),
  requiredConnectors: many(Address)
    .optional()
    .describe(
      'Addresses of MCP servers that desktops add by themselves and users cannot switch off or remove.',
    ),
  allowedConnectors: many(HostPattern)
    .optional()
    .describe('The only hosts of connectors, besides those of required ones.'),
  refusedConnectors: many(HostPattern).optional().describe('Hosts of connectors that no user may use.'),
  localConnectors: z
    .boolean()
    .optional()
    .describe('`false`: no programs of the computer and no servers of the local network as connectors.'),
  refusedPermissions: many(z.string().max(100))
    .optional()
    .describe('Grants, such as `project:write`, that no app may have.'),
  allowedProviders: many(HostPattern)
    .optional()
    .describe('The only hosts of model providers; `localhost` for models on the computer.'),
  allowedModels: many(z.string().max(300)).optional().describe('The only models, by id or as `gpt-5*`.'),
  allowedAgents: many(z.string().max(100))
    .optional()
    .describe('The only agents that may use the apps, such as `claude-code`. An empty list allows none.'),
  exportChats: z
    .boolean()
    .optional()
    .describe('`false`: conversations cannot be exported or copied as a file.'),
  developerMode: z.boolean().optional().describe('`false`: no apps from folders under development.'),
  installUpdates: z
    .boolean()
    .optional()
    .describe(
      '`true`: updates that ask for nothing new are installed by themselves; `false`: only by a button.',
    ),
  updateHours: z
    .strictObject({ from: TimeOfDay, to: TimeOfDay })
    .refine(({ from, to }) => from !== to, { error: 'must not begin and end at the same time' })
    .optional()
    .describe('The hours, in the time of the computer, in which updates are installed by themselves.'),
  memberHours: z
    .int()
    .min(1)
    .max(720)
    .optional()
    .describe(
      'Apps of the store work for its signed-in members alone, and so many hours without contact to it. Only for a store that members alone may read.',
    ),
});
export type ManagedSettings = z.infer<typeof ManagedSettings>;

/** Name of a setting of a company. */
export type ManagedKey = keyof ManagedSettings;

export const MANAGED_KEYS = Object.keys(ManagedSettings.shape) as readonly ManagedKey[];

/** The managed settings of a store, as it signs them for desktops. */
export const SignedManagedSettings = named.object('SignedManagedSettings', {
  managed: z
    .record(z.string(), z.unknown())
    .describe('The settings. A client applies those that it knows, also beside ones that it does not.'),
  changedAt: Timestamp.describe('When they were last changed: a client never goes back to earlier ones.'),
  signedAt: Timestamp,
  signature: Signature.describe(
    'Signature of the current key over the canonical JSON (RFC 8785) of `changedAt`, `managed` and `signedAt`.',
  ),
  keyId: KeyId,
});
export type SignedManagedSettings = z.infer<typeof SignedManagedSettings>;

/** The managed settings of a store, for administrators. */
export const StoreManagedSettings = named.object('StoreManagedSettings', {
  settings: ManagedSettings,
  changedAt: Timestamp.nullable().describe('Null as long as none were set.'),
  warnings: z.array(z.string()).describe('What of them has another effect than it seems, in sentences.'),
});
export type StoreManagedSettings = z.infer<typeof StoreManagedSettings>;

/** Request body that replaces the managed settings of a store. */
export const ManagedChange = named.strictObject('ManagedChange', {
  settings: ManagedSettings,
  from: Timestamp.nullable()
    .optional()
    .describe('`changedAt` of those that you read: with it, a change of another administrator is not lost.'),
  dryRun: z.boolean().optional().describe('Checks the settings and changes nothing.'),
});
export type ManagedChange = z.infer<typeof ManagedChange>;

import type { ManagedKey, ManagedSettings } from './records/managed.ts';

type Words = {
  [Key in ManagedKey]-?: { title: string; text(value: NonNullable<ManagedSettings[Key]>): string };
};

const list = (names: readonly string[]): string => names.join(', ') || 'none';
const allowed = (on: boolean): string => (on ? 'allowed' : 'not allowed');

/** What people read of each setting. */
export const MANAGED_WORDS: Words = {
  mirrors: { title: 'Mirrors of the store', text: list },
  requiredApps: { title: 'Required apps', text: list },
  allowedApps: { title: 'Only these apps', text: list },
  refusedApps: { title: 'Refused apps', text: list },
  minimumVersions: {
    title: 'Oldest versions',
    text: (versions) => list(Object.entries(versions).map(([id, version]) => `${id} ${version}`)),
  },
  requiredConnectors: { title: 'Required connectors', text: list },
  allowedConnectors: { title: 'Only connectors at these hosts', text: list },
  refusedConnectors: { title: 'Refused hosts of connectors', text: list },
  localConnectors: { title: 'Connectors on this computer and the local network', text: allowed },
  refusedPermissions: { title: 'Permissions that no app may have', text: list },
  allowedProviders: { title: 'Only model providers at these hosts', text: list },
  allowedModels: { title: 'Only these models', text: list },
  allowedAgents: { title: 'Only these agents', text: list },
  exportChats: { title: 'Export of conversations', text: allowed },
  developerMode: { title: 'Apps under development', text: allowed },
  installUpdates: {
    title: 'Updates that ask for nothing new',
    text: (on) => (on ? 'installed by themselves' : 'installed by a button only'),
  },
  updateHours: { title: 'Hours of updates', text: ({ from, to }) => `${from} to ${to}` },
  memberHours: {
    title: 'Hours without contact to the store',
    text: (hours) => `${hours}, then the apps of the store stop`,
  },
};

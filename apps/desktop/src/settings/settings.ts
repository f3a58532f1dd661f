import type { Project } from '../wire/views.ts';

/** Values of an app's settings, by id. */
export type AppValues = Record<string, string | number | boolean>;

/**
 * The user's settings that the runtime does not store: projects, folders that agents may pass files from, settings of apps. They are
 * read again each time, because other processes may change them.
 */
export type Settings = {
  /** There is always at least one. */
  projects(): Project[];
  addProject(name: string, folder: string | null): Promise<Project>;
  removeProject(id: string): Promise<void>;
  allowedFolders(): string[];
  allowFolder(folder: string): Promise<void>;
  disallowFolder(folder: string): Promise<void>;
  /** Whether connectors on this computer and the local network are allowed, from the next start on. */
  localConnectors(): boolean;
  allowLocalConnectors(on: boolean): Promise<void>;
  appValues(appId: string): AppValues;
  saveAppValues(appId: string, values: AppValues): Promise<void>;
  /** Hosts and networks inside a company that apps may reach. */
  privateNetworks(): string[];
  savePrivateNetworks(entries: readonly string[]): Promise<void>;
  /** Folders under development that are reopened at the next start. */
  developerFolders(): string[];
  addDeveloperFolder(folder: string): Promise<void>;
  removeDeveloperFolder(folder: string): Promise<void>;
};

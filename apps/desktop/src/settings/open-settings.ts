import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { readPrivateNetworks } from '@svc/contracts/public-address';
import type { System } from '@svc/runtime';
import { z } from 'zod';
import { isPrivateFolder, isWithin } from '../folders/private-folder.ts';
import { invalid, notFound } from '../http/exchange.ts';
import { keptFile } from './kept-file.ts';

/** Values of an app's settings, by id. */
export type AppValues = Record<string, string | number | boolean>;

async function realFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if ((await stat(real)).isDirectory()) return real;
  } catch {
    // Reported below: the exact reason does not matter to the user.
  }
  throw invalid('This folder does not exist on this computer.');
}

/**
 * The real path of a folder that files may be passed from.
 * @param own data folder of the desktop
 * @throws HttpError if it is not the full path of a folder, or if it would expose the desktop's data folder
 */
async function shareableFolder(folder: string, own: string): Promise<string> {
  if (!isAbsolute(folder)) throw invalid('Enter the full path of the folder.');
  const real = await realFolder(folder);
  const ours = await realFolder(own);
  if (isWithin(real, ours) || isWithin(ours, real))
    throw invalid('This folder contains the data of svc desktop. Choose another folder.');
  if (isPrivateFolder(real))
    throw invalid('This folder contains more than one project’s files. Choose the folder of the project.');
  return real;
}

const MAX_PROJECTS = 100;
const MAX_FOLDERS = 100;
const MAX_APPS = 2_000;
const MAX_NETWORKS = 100;

const Folder = z.string().min(1).max(4_096);

export const Project = z.strictObject({
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  name: z.string().min(1).max(80),
  /** Its folder on this computer, from which agents may pass files; null without a folder. */
  folder: Folder.nullable(),
});

const Kept = z.strictObject({
  version: z.literal(1),
  projects: z.array(Project).min(1).max(MAX_PROJECTS),
  localConnectors: z.exactOptional(z.boolean()),
  installUpdates: z.boolean().default(true),
  allowedFolders: z.array(Folder).max(MAX_FOLDERS),
  developerFolders: z.array(Folder).max(MAX_FOLDERS),
  privateNetworks: z.array(z.string().max(300)).max(MAX_NETWORKS).default([]),
  appValues: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});
type Kept = z.infer<typeof Kept>;

/** The initial project. */
export const FIRST_PROJECT = { id: 'project-1', name: 'My project', folder: null };

/** The defaults. */
const FIRST: Kept = {
  version: 1,
  installUpdates: true,
  projects: [FIRST_PROJECT],
  allowedFolders: [],
  developerFolders: [],
  privateNetworks: [],
  appValues: {},
};

const withFolder = (folders: readonly string[], folder: string): string[] => {
  if (folders.length >= MAX_FOLDERS) throw invalid(`There are ${MAX_FOLDERS} folders already.`);
  return [...new Set([...folders, folder])];
};

/** @throws HttpError with the reason for an entry that is invalid or covers everything */
function networksOf(given: readonly string[]): readonly string[] {
  try {
    return readPrivateNetworks(given).entries;
  } catch (error) {
    throw invalid((error as TypeError).message);
  }
}

/**
 * Opens the settings of a folder. Several processes may have them open.
 * @throws if they cannot be read
 */
export function openSettings(system: Pick<System, 'now' | 'sleep' | 'randomBytes'>, folder: string) {
  const file = join(folder, 'settings.json');
  const { read, change } = keptFile(system, file, { schema: Kept, first: FIRST, words: 'The settings' });
  read();
  return {
    /** There is always at least one. */
    projects: () => read().projects,
    async addProject(name: string, given: string | null): Promise<z.infer<typeof Project>> {
      const realFolder = given === null ? null : await shareableFolder(given, folder);
      const id = `project-${Buffer.from(system.randomBytes(8)).toString('hex')}`;
      const project = { id, name, folder: realFolder };
      await change((kept) => {
        if (kept.projects.length >= MAX_PROJECTS)
          throw invalid(`There are ${MAX_PROJECTS} projects already.`);
        return { ...kept, projects: [...kept.projects, project] };
      });
      return project;
    },
    removeProject: (id: string) =>
      change((kept) => {
        const projects = kept.projects.filter((project) => project.id !== id);
        if (projects.length === kept.projects.length) throw notFound('Project not found.');
        if (projects.length === 0) throw invalid('The last project cannot be removed.');
        return { ...kept, projects };
      }),
    /** Whether connectors on this computer and the local network are allowed. */
    localConnectors: () => read().localConnectors === true,
    allowLocalConnectors: (on: boolean) => change((kept) => ({ ...kept, localConnectors: on })),
    /** Whether updates that ask for nothing new are installed by themselves. */
    installsUpdates: () => read().installUpdates,
    installUpdates: (on: boolean) => change((kept) => ({ ...kept, installUpdates: on })),
    allowedFolders: () => read().allowedFolders,
    /** The folders of which files may be handed over in a project. */
    sharedFolders: (project: string | null) => ({
      project: read().projects.find(({ id }) => id === project)?.folder ?? null,
      allowed: read().allowedFolders,
    }),
    async allowFolder(given: string) {
      const allowed = await shareableFolder(given, folder);
      await change((kept) => ({ ...kept, allowedFolders: withFolder(kept.allowedFolders, allowed) }));
    },
    disallowFolder: (removed: string) =>
      change((kept) => ({
        ...kept,
        allowedFolders: kept.allowedFolders.filter((folder) => folder !== removed),
      })),
    appValues: (appId: string) => read().appValues[appId] ?? {},
    saveAppValues: (appId: string, values: AppValues) =>
      change((kept) => {
        const { [appId]: _before, ...others } = kept.appValues;
        if (Object.keys(others).length >= MAX_APPS)
          throw invalid(`Settings of ${MAX_APPS} apps are already stored.`);
        return { ...kept, appValues: { ...others, [appId]: values } };
      }),
    /** Hosts and networks inside a company that apps may reach. */
    privateNetworks: () => read().privateNetworks,
    async savePrivateNetworks(given: readonly string[]) {
      if (given.length > MAX_NETWORKS)
        throw invalid(`At most ${MAX_NETWORKS} hosts and networks can be named.`);
      const privateNetworks = [...networksOf(given)];
      await change((kept) => ({ ...kept, privateNetworks }));
    },
    /** Folders under development that are reopened at the next start. */
    developerFolders: () => read().developerFolders,
    addDeveloperFolder: (opened: string) =>
      change((kept) => ({ ...kept, developerFolders: withFolder(kept.developerFolders, opened) })),
    removeDeveloperFolder: (removed: string) =>
      change((kept) => ({
        ...kept,
        developerFolders: kept.developerFolders.filter((folder) => folder !== removed),
      })),
  };
}

/**
 * The user's settings that the runtime does not store: projects, folders that agents may pass files from, settings of apps. They are
 * read again each time, because other processes may change them.
 */
export type Settings = ReturnType<typeof openSettings>;

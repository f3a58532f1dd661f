import type { Project } from '../wire/views.ts';

/** Values of the settings that an app declares, by their id. */
export type AppValues = Record<string, string | number | boolean>;

/**
 * What the person set, besides what the runtime keeps: projects, folders that agents may hand files out of, settings of apps.
 * It is read again at each question, as other processes may change it.
 */
export type Settings = {
  /** There is always one. */
  projects(): Project[];
  addProject(name: string, folder: string | null): Promise<Project>;
  removeProject(id: string): Promise<void>;
  allowedFolders(): string[];
  allowFolder(folder: string): Promise<void>;
  disallowFolder(folder: string): Promise<void>;
  appValues(appId: string): AppValues;
  saveAppValues(appId: string, values: AppValues): Promise<void>;
  /** Folders under development that were open last, to be opened again. */
  developerFolders(): string[];
  keepDeveloperFolder(folder: string): Promise<void>;
  forgetDeveloperFolder(folder: string): Promise<void>;
};

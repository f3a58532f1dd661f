import type { Project } from '../wire/views.ts';

/** What the person set, besides what the runtime keeps: projects, folders that agents may hand files out of, settings of apps. */
export type Settings = {
  projects(): Project[];
  addProject(name: string, folder: string | null): Promise<Project>;
  removeProject(id: string): Promise<void>;
  allowedFolders(): string[];
  allowFolder(folder: string): Promise<void>;
  disallowFolder(folder: string): Promise<void>;
  appValues(appId: string): Record<string, string | number | boolean>;
  saveAppValues(appId: string, values: Record<string, string | number | boolean>): Promise<void>;
};

import { createContext, useContext } from 'react';
import type { AppView, Project } from '../../../src/wire/views.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

export const InProject = createContext<{ project: Project; store: string } | null>(null);

function useInProject() {
  const inProject = useContext(InProject);
  if (!inProject) throw new Error('There is no project here.');
  return inProject;
}

export const useProject = (): Project => useInProject().project;

/** Origin of the store, for the URLs of its images. */
export const useStore = (): string => useInProject().store;

/** The apps of the current project; undefined until they are known. */
export const useApps = (): readonly AppView[] | undefined =>
  useDesktopQuery('apps.list', { project: useProject().id }).data?.apps;

import { createContext, useContext } from 'react';
import type { Project } from '../../../src/wire/views.ts';

/** The current project and the store. */
export const InProject = createContext<{ project: Project; store: string } | null>(null);

function useInProject() {
  const inProject = useContext(InProject);
  if (!inProject) throw new Error('There is no project here.');
  return inProject;
}

export const useProject = (): Project => useInProject().project;

/** Origin of the store, for the URLs of its images. */
export const useStore = (): string => useInProject().store;

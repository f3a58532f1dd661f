import { createContext, useContext } from 'react';
import type { Project } from '../../../src/wire/views.ts';

/** The project that apps are shown for, and run in. */
export const InProject = createContext<{ project: Project; store: string } | null>(null);

function useInProject() {
  const inProject = useContext(InProject);
  if (!inProject) throw new Error('There is no project here.');
  return inProject;
}

export const useProject = (): Project => useInProject().project;

/** Origin of the store, for the addresses of its pictures. */
export const useStore = (): string => useInProject().store;

import { writeInterop } from '@svc/testkit';
import { diffFiles } from './interop-vectors.ts';

// Run as a program: writes interop/permissions from the cases beside this file.
writeInterop('permissions', diffFiles());

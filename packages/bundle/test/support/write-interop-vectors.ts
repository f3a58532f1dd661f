import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { interopFolder, staleVectors, vectorFiles } from './interop-vectors.ts';

// Run as a program: brings interop/bundle in line with interop-vectors.ts.
mkdirSync(interopFolder, { recursive: true });
for (const name of staleVectors()) rmSync(new URL(name, interopFolder), { force: true });
for (const [name, bytes] of vectorFiles()) writeFileSync(new URL(name, interopFolder), bytes);

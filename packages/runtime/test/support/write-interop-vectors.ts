import { writeInterop } from '@svc/testkit';
import { relayFiles } from './relay-vectors.ts';

// Run as a program: brings interop/relay in line with relay-vectors.ts.
writeInterop('relay', relayFiles());

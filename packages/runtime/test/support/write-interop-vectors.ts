import { writeInterop } from '@svc/testkit';
import { relayFiles } from './relay-vectors.ts';

// A program that writes interop/relay from relay-vectors.ts.
writeInterop('relay', relayFiles());

import { writeInterop } from '@svc/testkit';
import { factFiles } from './fact-vectors.ts';
import { keyFiles } from './key-vectors.ts';
import { revocationFiles } from './revocation-vectors.ts';

// Run as a program: writes interop/signing, interop/keys and interop/revocations.
writeInterop('signing', factFiles());
writeInterop('keys', keyFiles());
writeInterop('revocations', revocationFiles());

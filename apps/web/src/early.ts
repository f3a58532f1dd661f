import { sendFirstReads } from './first-reads.ts';

// The page loads this script first, and on its own: it and what it imports are small.

sendFirstReads(window.location);

import { signJson, verifyJsonSignature } from './json-signature.ts';
import { verifyRevocationList } from './revocations.ts';

export * from './file-statement.ts';
export * from './head.ts';
export * from './json-signature.ts';
export * from './key-chain.ts';
export * from './keys.ts';
export * from './managed.ts';
export * from './mirror.ts';
export * from './origin.ts';
export * from './revocation-head.ts';
export * from './revocations.ts';
export * from './sign-facts.ts';
export * from './tool-record.ts';
export * from './verify-bundle.ts';

/** @deprecated Use `signJson`. */
export const sealJson = signJson;

/** @deprecated Use `verifyJsonSignature`. */
export const sealHolds = verifyJsonSignature;

/** @deprecated Use `verifyRevocationList`. */
export const revocationsHold = verifyRevocationList;

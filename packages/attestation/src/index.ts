export * from './trusted-roots.ts';
export * from './verify-attestation.ts';

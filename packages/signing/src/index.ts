export * from './canonical-json.ts';
export * from './key-chain.ts';
export * from './keys.ts';
export * from './revocations.ts';
export * from './seal.ts';
export * from './sign-facts.ts';
export * from './verify-bundle.ts';

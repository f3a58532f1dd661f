// What a program needs to read a store as a client does, without the rest of the runtime. The decisions are in `@svc/signing`.

import './platform/require-node.ts';

export { storeAddress } from '@svc/contracts/store-address';
export { defaultSystem } from './platform/default-system.ts';
export { asRefusal, RuntimeError } from './platform/runtime-error.ts';
export { createListReader, freshState, type ListReaderState } from './revocations/list-source.ts';
export { createMirroredFetch, mirrorAddresses } from './store/mirrors/mirrored-fetch.ts';
export { storeFetch } from './store/store-fetch.ts';
export { createStoreReader, type StoreReader, type UpstreamEvents } from './store/store-reader.ts';

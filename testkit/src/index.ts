export * from './free-port.ts';
export * from './picture.ts';
export * from './programs.ts';
export * from './s3-server.ts';
export * from './sample-app.ts';
export * from './zip-builder.ts';

export { ArrowFault } from './src/fault.ts';
export { type ArrowLimits, arrowToParquet } from './src/repack.ts';

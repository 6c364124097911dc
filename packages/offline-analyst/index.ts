export { offlineModel } from './src/model.ts';
export { stem, wordsOf } from './src/words.ts';

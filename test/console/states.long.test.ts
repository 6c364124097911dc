import { seeParts } from './states.ts';

seeParts(1);

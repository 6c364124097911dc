import { defaultExclude, defineConfig } from 'vitest/config';
import short, { longFiles } from './vitest.config.ts';

/** The long ring, in the same surroundings as the short one. */
export default defineConfig({ test: { ...short.test, include: [longFiles], exclude: [...defaultExclude] } });

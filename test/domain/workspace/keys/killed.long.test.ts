import { testKills } from './killed-rounds.ts';

testKills(20);

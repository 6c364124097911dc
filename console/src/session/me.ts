import { useQuery } from '@tanstack/react-query';
import { workspace } from './login.ts';

/** Who signed in, and what they may do. */
export const useMe = () => useQuery({ queryKey: ['me'], queryFn: () => workspace.get('/v1/me') });

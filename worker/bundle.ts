import { bundleCacheDir, keptWorkflowBundle } from './workflow-bundle.ts';

// While an image is built: its containers, which cannot write there, then start without bundling.
await keptWorkflowBundle([bundleCacheDir]);

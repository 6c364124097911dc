import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where the API serves it. Nothing is inlined: its content security policy allows files of this site alone. */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: 'es2022' },
  server: { proxy: { '^/(v1|sign-in|owner|docs|openapi.json)': 'http://127.0.0.1:8080' } },
});

/** Of the interface; the clients have the same. The release of the service is another (data/release.ts). */
export const version = '0.1.0';

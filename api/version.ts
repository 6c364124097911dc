/** Of the service and of its interface; the clients have the same. */
export const version = '0.1.0';

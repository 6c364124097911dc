/**
 * For servers of tests on this machine only: it is trusted only by tests that say so. Its key is not secret.
 */
export const localhostCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzIMFCwzVcVfQ1kIo
OiAZPoqCa1QBxjwOe4THf9OysZChRANCAARBdOPVtioOQIavdxK2i0mX3Vjn1Z2s
u3knY1KSdj6/h91lrxJipcv7P4K1eLuDIvCoMfNsLMXB6SnK/isncc3A
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBojCCAUegAwIBAgIUUdLZ6jexX4pRMTSgYYB0ncFVZyUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE3NDYxN1oYDzIxMjYxMDI5
MTc0NjE3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARBdOPVtioOQIavdxK2i0mX3Vjn1Z2su3knY1KSdj6/h91lrxJipcv7
P4K1eLuDIvCoMfNsLMXB6SnK/isncc3Ao3UwczAdBgNVHQ4EFgQUnnF0ghypbQhG
VgMm9q1kwRAcEJ0wHwYDVR0jBBgwFoAUnnF0ghypbQhGVgMm9q1kwRAcEJ0wDwYD
VR0TAQH/BAUwAwEB/zAgBgNVHREEGTAXgglsb2NhbGhvc3SHBH8AAAGHBAAAAAAw
CgYIKoZIzj0EAwIDSQAwRgIhAM8YCllme+gPsIPjxzcRp/jq5DSbcv8jXz3tp+7D
QPN1AiEA1gR8bWym/JALCBaMXvjzc0dlumGOmynrjfl7PphSSqE=
-----END CERTIFICATE-----
`,
};

ALTER TABLE users VALIDATE CONSTRAINT users_account_id;

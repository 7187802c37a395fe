// The functions of OpenSSL that are called, as a list for macros.
#pragma once

// Every function that is called, also by Asio: one that is missing is an undefined symbol.
// clang-format off
#define TALARIA_OPENSSL_FUNCTIONS(F) \
  F(BIO_ctrl) F(BIO_ctrl_pending) F(BIO_free) F(BIO_new_bio_pair) F(BIO_new_file) \
  F(BIO_new_mem_buf) F(BIO_read) F(BIO_write) F(CRYPTO_free) F(ERR_clear_error) F(ERR_get_error) \
  F(ERR_lib_error_string) F(ERR_peek_error) F(ERR_peek_last_error) F(ERR_reason_error_string) \
  F(EVP_PKEY_free) F(EVP_PKEY_is_a) F(OPENSSL_init_crypto) F(PEM_read_bio_Parameters) F(PEM_read_bio_PrivateKey) \
  F(PEM_read_bio_X509) F(PEM_read_bio_X509_AUX) F(SSL_CTX_clear_options) F(SSL_CTX_ctrl) \
  F(SSL_CTX_free) F(SSL_CTX_get_cert_store) F(SSL_CTX_get_default_passwd_cb) \
  F(SSL_CTX_get_default_passwd_cb_userdata) F(SSL_CTX_get_ex_data) \
  F(SSL_CTX_get_verify_callback) F(SSL_CTX_get_verify_mode) F(SSL_CTX_load_verify_locations) \
  F(SSL_CTX_new) F(SSL_CTX_set0_tmp_dh_pkey) F(SSL_CTX_set_default_passwd_cb) \
  F(SSL_CTX_set_default_passwd_cb_userdata) F(SSL_CTX_set_default_verify_paths) \
  F(SSL_CTX_set_ex_data) F(SSL_CTX_set_options) F(SSL_CTX_set_verify) \
  F(SSL_CTX_set_verify_depth) F(SSL_CTX_use_PrivateKey) F(SSL_CTX_use_PrivateKey_file) \
  F(SSL_CTX_use_certificate) F(SSL_CTX_use_certificate_ASN1) \
  F(SSL_CTX_use_certificate_chain_file) F(SSL_CTX_use_certificate_file) F(SSL_accept) \
  F(SSL_connect) F(SSL_ctrl) F(SSL_free) F(SSL_get_SSL_CTX) F(SSL_get_error) F(SSL_get_ex_data) \
  F(SSL_get_ex_data_X509_STORE_CTX_idx) F(SSL_get_shutdown) F(SSL_get_verify_callback) \
  F(SSL_get_verify_mode) F(SSL_new) F(SSL_read) F(SSL_set_bio) F(SSL_set_ex_data) \
  F(SSL_set_verify) F(SSL_set_verify_depth) F(SSL_shutdown) F(SSL_write) F(TLS_client_method) \
  F(TLS_method) F(TLS_server_method) F(X509_STORE_CTX_get_current_cert) \
  F(X509_STORE_CTX_get_error_depth) F(X509_STORE_CTX_get_ex_data) F(X509_STORE_add_cert) \
  F(X509_check_host) F(X509_check_ip_asc) F(X509_free) F(d2i_PrivateKey_bio)
// clang-format on

<?php
// Installs WordPress with two authors, categories and tags, and prints their ids and a password for the REST API.
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'www.example.com';
require 'wp-load.php';
require 'wp-admin/includes/upgrade.php';
ob_start();
wp_install('Example', 'anna', 'anna@example.com', true, '', wp_generate_password());
wp_delete_post(1, true);
$otto = wp_insert_user(['user_login' => 'otto', 'user_email' => 'otto@example.com', 'user_pass' => wp_generate_password(), 'role' => 'author']);
$ids = fn($taxonomy, $names) => array_map(fn($name) => wp_insert_term($name, $taxonomy)['term_id'], $names);
$categories = $ids('category', ['news', 'culture', 'sports']);
$tags = $ids('post_tag', ['berlin', 'trams', 'weather', 'films', 'chess']);
update_option('posts_per_page', 5);
update_option('posts_per_rss', 5);
global $wp_rewrite;
$wp_rewrite->set_permalink_structure('/articles/%postname%/');
$wp_rewrite->flush_rules(false);
switch_theme('plain');
[$password] = WP_Application_Passwords::create_new_application_password(1, ['name' => 'check']);
ob_end_clean();
echo json_encode(['authors' => [1, $otto], 'categories' => $categories, 'tags' => $tags, 'password' => $password]);

// Clients of services: what they delete is used by others, and not in the project.
#include "policy/guard/program/call_table.h"

namespace talaria::guard {
namespace {

constexpr std::string_view kPythonClients =
    "kubernetes kubernetes_asyncio wandb mlflow comet_ml neptune clearml github gitlab jira "
    "atlassian asana trello todoist_api_python notion_client airtable pyairtable stripe braintree "
    "square paypalrestsdk shopify hubspot simple_salesforce zenpy sendgrid mailchimp3 twilio slack "
    "slack_sdk discord tweepy praw dropbox boxsdk gspread googleapiclient pydrive2 firebase_admin "
    "supabase pinecone weaviate qdrant_client algoliasearch opensearchpy openai anthropic "
    "huggingface_hub digitalocean linode_api4 hcloud openstack novaclient CloudFlare cloudflare "
    "heroku3 consul hvac etcd3 kazoo databricks snowflake minio b2sdk jenkins pyVmomi proxmoxer "
    "libvirt labelbox roboflow datadog datadog_api_client pdpyras msgraph O365 vercel auth0 okta";
constexpr std::string_view kScriptClients =
    "@kubernetes/client-node stripe octokit @octokit/rest @octokit/core @gitbeaker/rest "
    "jira-client "
    "@notionhq/client airtable @slack/web-api discord.js twilio @sendgrid/client dropbox "
    "googleapis "
    "firebase-admin @supabase/supabase-js @pinecone-database/pinecone algoliasearch openai "
    "@google-cloud/storage @google-cloud/bigquery @google-cloud/compute @azure/storage-blob "
    "cloudflare dots-wrapper contentful-management cloudinary @shopify/shopify-api auth0 minio";

}  // namespace

bool ends_something(std::string_view name) {
  if (name.empty() || !std::string_view("dtpr").contains(name.front())) return false;
  for (const std::string_view verb : {"delete", "del", "destroy", "terminate", "purge", "drain_",
                                      "patch_n", "replace_namespaced"}) {
    if (!name.starts_with(verb)) continue;
    const char next = name.size() > verb.size() ? name[verb.size()] : '_';
    if (next == '_' || (next >= 'A' && next <= 'Z') || verb.contains('_')) return true;
  }
  return false;
}

std::string_view service_clients(ProgramLanguage language) {
  switch (language) {
    case ProgramLanguage::python:
      return kPythonClients;
    case ProgramLanguage::javascript:
      return kScriptClients;
    default:
      return "";
  }
}

}  // namespace talaria::guard

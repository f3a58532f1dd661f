# What a company sets for its desktops, kept by Terraform or OpenTofu. It needs no provider from a registry: the request is idempotent, so
# it is sent again whenever the settings here change. The token comes from the environment, and is in no state and no plan.
#
#   export SVC_ADMIN_TOKEN=…
#   terraform init && terraform apply -var store=https://apps.corp.example

variable "store" {
  type        = string
  description = "Address of the store, without a slash at the end."
}

locals {
  settings = {
    requiredApps    = ["com.corp.tickets"]
    minimumVersions = { "com.corp.tickets" = "1.4.2" }
    allowedAgents   = ["claude-code"]
    exportChats     = false
    updateHours     = { from = "22:00", to = "06:00" }
  }
}

resource "terraform_data" "managed_settings" {
  triggers_replace = [var.store, local.settings]

  provisioner "local-exec" {
    interpreter = ["sh", "-c"]
    # The header comes from a file descriptor: a list of processes shows arguments.
    command = <<-EOT
      printf 'Authorization: Bearer %s\n' "$SVC_ADMIN_TOKEN" |
        curl --fail-with-body --silent --show-error -X PUT "$STORE/api/admin/managed-settings" \
          -H @- -H 'Content-Type: application/json' --data-raw "$SETTINGS"
    EOT
    environment = {
      STORE    = var.store
      SETTINGS = jsonencode({ settings = local.settings })
    }
  }
}

# Run as SYSTEM, for example as a platform script of Intune. Writes the policy that svc reads at its next start.
$settings = @'
{"store":"https://apps.corp.example","storeKey":"MCowBQYDK2VwAyEAp0Rkpl6hl7DJLtAa2JDxRXXQ4v9SxBDVbVMBgVSgWx4=","settingsFromStore":true}
'@
$key = 'HKLM:\SOFTWARE\Policies\svc'
New-Item -Path $key -Force | Out-Null
New-ItemProperty -Path $key -Name Settings -PropertyType String -Value $settings -Force | Out-Null
